import type { Clock } from './clock.js'

/** Lets the newest value through at most once per interval; what comes between is replaced, the last is never lost. */
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
    const left = this.lastAt + this.interval - this.clock.now()
    if (left <= 0) this.flush()
    else this.cancel = this.clock.after(left, () => this.flush())
  }

  /** Emit what waits, now. */
  flush(): void {
    this.cancel?.()
    this.cancel = undefined
    const waiting = this.waiting
    this.waiting = undefined
    if (!waiting) return
    this.lastAt = this.clock.now()
    this.emit(waiting.value)
  }

  /** Drop what waits. */
  stop(): void {
    this.cancel?.()
    this.cancel = undefined
    this.waiting = undefined
  }
}
