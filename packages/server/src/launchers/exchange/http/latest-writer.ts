/** One writer per key, the latest: a request whose connection was lost unnoticed must not block its replacement. */
export class LatestWriter {
  readonly #writing = new Map<string, { readonly stop: AbortController; readonly ended: Promise<unknown> }>()

  /** @param work ends soon after its signal is aborted. Its error then only concerns its own caller, which has disconnected. */
  async run<Result>(key: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const before = this.#writing.get(key)
    const stop = new AbortController()
    before?.stop.abort()
    const ended = (before?.ended ?? Promise.resolve()).catch(() => undefined).then(() => work(stop.signal))
    const mine = { stop, ended }
    this.#writing.set(key, mine)
    try {
      return await ended
    } finally {
      if (this.#writing.get(key) === mine) this.#writing.delete(key)
    }
  }
}
