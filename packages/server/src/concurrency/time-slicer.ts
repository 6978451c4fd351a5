/** Minimum and maximum length of a time slice. */
const MIN_MILLISECONDS = 2
const MAX_MILLISECONDS = 10

/**
 * Runs many small pieces of background work one after the other, in time slices of some milliseconds. The event loop turns between two
 * slices, so requests are answered, however many pieces arrive at once. A slice is as long as everything else has taken since the last one,
 * so that a busy service makes progress with both.
 */
export class TimeSlicer {
  readonly #waiting: (() => void)[] = []
  #working = false
  #ended = 0

  constructor(private readonly max = MAX_MILLISECONDS) {}

  /** Resolves when the caller may run. Its work up to its next `await` is one piece. */
  next(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin)
      if (this.#working) return
      this.#working = true
      this.#ended = performance.now()
      setImmediate(() => void this.#work())
    })
  }

  async #work(): Promise<void> {
    const began = performance.now()
    const slice = Math.min(this.max, Math.max(MIN_MILLISECONDS, began - this.#ended))
    do {
      this.#waiting.shift()?.()
      // Started work continues before this does.
      await undefined
    } while (this.#waiting.length > 0 && performance.now() - began < slice)
    this.#ended = performance.now()
    if (this.#waiting.length > 0) setImmediate(() => void this.#work())
    else this.#working = false
  }
}
