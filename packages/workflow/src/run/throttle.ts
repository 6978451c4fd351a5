import type { Clock } from './clock.js'

/** Passes the newest value at most once per interval; intermediate values are replaced, the last one is never lost. */
export class Throttle<T> {
  private lastAt = Number.NEGATIVE_INFINITY
  private waiting: { readonly value: T } | undefined
  private cancel: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly emit: (value: T) => void,
  ) {}

  push(value: T): void {
    this.waiting = { value }
    if (this.cancel) return
    const remaining = this.lastAt + this.interval - this.clock.now()
    if (remaining <= 0) this.flush()
    else this.cancel = this.clock.after(remaining, () => this.flush())
  }

  /** Emits the pending value now. */
  flush(): void {
    this.cancel?.()
    this.cancel = undefined
    const waiting = this.waiting
    this.waiting = undefined
    if (!waiting) return
    this.lastAt = this.clock.now()
    this.emit(waiting.value)
  }

  /** Discards the pending value. */
  stop(): void {
    this.cancel?.()
    this.cancel = undefined
    this.waiting = undefined
  }
}
