/** A compromise between the watchers and the load of the database. */
const MILLISECONDS = 1000

/**
 * Passes on the newest of many notices: one at a time, and none before the first interval is over, so that shorter work sends no notice.
 */
export class NewestNotice {
  #newest: string | undefined
  #timer: NodeJS.Timeout | undefined
  #told: Promise<void> = Promise.resolve()

  /** @param tell its failures are ignored: a lost notice does not stop the work. */
  constructor(
    private readonly tell: (notice: string) => Promise<void>,
    private readonly milliseconds = MILLISECONDS,
  ) {}

  say(notice: string): void {
    this.#newest = notice
    this.#timer ??= setTimeout(() => this.#pass(), this.milliseconds)
    this.#timer.unref()
  }

  /** No notice is sent after this resolves. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#newest = undefined
    await this.#told
    clearTimeout(this.#timer)
  }

  #pass(): void {
    const notice = this.#newest
    if (notice === undefined) return
    this.#newest = undefined
    this.#told = this.tell(notice)
      .catch(() => undefined)
      .then(() => {
        this.#timer = undefined
        if (this.#newest !== undefined) this.say(this.#newest)
      })
  }
}
