import { Coalescer } from '../concurrency/coalescer.js'

/** A compromise between the watchers and the load of the database. */
const MILLISECONDS = 1000

/**
 * Passes on the newest of many notices: one at a time, and none before the first interval is over, so that shorter work sends no notice.
 */
export class ThrottledMessage<Notice> {
  #newest: Notice | undefined
  readonly #pass: Coalescer

  /** @param send its failures are ignored: a lost notice does not stop the work. */
  constructor(send: (notice: Notice) => Promise<void>, milliseconds = MILLISECONDS) {
    const pass = async () => {
      const notice = this.#newest
      this.#newest = undefined
      if (notice !== undefined) await send(notice)
    }
    this.#pass = new Coalescer(pass, { milliseconds, onError: () => undefined })
  }

  send(notice: Notice): void {
    this.#newest = notice
    this.#pass.request()
  }

  /** No notice is sent after this resolves. */
  async end(): Promise<void> {
    this.#newest = undefined
    await this.#pass.cancel()
  }
}
