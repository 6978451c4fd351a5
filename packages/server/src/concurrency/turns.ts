/** Milliseconds of work between two turns of the event loop: at least, and at most. */
const LEAST = 2
const MOST = 10

/**
 * Runs many small pieces of background work one after the other: some milliseconds of them between two turns of the event loop, however
 * many arrive at once, so that requests are answered in between. They take as much time as everything else has taken since, so that a busy
 * service makes progress with both.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #working = false
  #ended = 0

  constructor(private readonly most = MOST) {}

  /** Resolves when it is the caller's turn: its work up to the next wait is one piece. */
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
    const slice = Math.min(this.most, Math.max(LEAST, began - this.#ended))
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
