/** Milliseconds of work between two turns of the event loop: at least, and at most. */
const LEAST = 2
const MOST = 10

/**
 * Many small pieces of work that nobody waits for in person, each in its turn: some milliseconds of them between two turns of the event
 * loop, whatever has come at once, so that what people ask meanwhile is answered in between. They take as long as all else took since, so
 * that a busy service gets on with both.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #working = false
  #ended = 0

  constructor(private readonly most = MOST) {}

  /** Resolves when it is the caller's turn: the work until it waits for something is one piece. */
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
      // What has begun goes on before this does.
      await undefined
    } while (this.#waiting.length > 0 && performance.now() - began < slice)
    this.#ended = performance.now()
    if (this.#waiting.length > 0) setImmediate(() => void this.#work())
    else this.#working = false
  }
}
