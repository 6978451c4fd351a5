import { Timer } from './timer.js'

export interface CoalescerOptions {
  /** Requests within this time share one run. */
  readonly milliseconds?: number
  /** Called with the error of a failed run. The next request starts another run. */
  readonly onError: (error: unknown) => void
}

/**
 * Combines many requests into few runs of `work`. Runs do not overlap; requests during a run share the one that follows. A run starts after
 * all requests that it serves.
 */
export class Coalescer {
  readonly #timer = new Timer(() => this.flush())
  /** The run that has not started yet. */
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(
    private readonly work: () => Promise<void>,
    private readonly options: CoalescerOptions,
  ) {}

  /** Requests a run after the interval. */
  request(): void {
    if (!this.#timer.isRunning) this.#timer.start(this.options.milliseconds ?? 0)
  }

  /** Requests a run without the interval. Resolves when that run has ended; never rejects. */
  flush(): Promise<void> {
    this.#timer.stop()
    if (this.#next) return this.#next
    const run = this.#last.then(() => {
      this.#next = undefined
      return this.work()
    })
    this.#next = run.catch(this.options.onError)
    this.#last = this.#next
    return this.#next
  }

  /** Drops the request whose interval is not over. Resolves when all other runs have ended. */
  cancel(): Promise<void> {
    this.#timer.stop()
    return this.#last
  }
}
