/** Some megabytes. */
const MOST_KEYS = 50_000

/**
 * The keys that may have a stored result: most keys of new computations have none, and need no query. A key that is known too long costs only
 * a query. For a database that only this process writes.
 */
export class StoredKeys {
  /** Undefined: there are too many, so any key may be stored. */
  #keys: Set<string> | undefined = new Set()
  #isComplete = false

  constructor(private readonly most = MOST_KEYS) {}

  /** Reads the keys that were stored earlier; until then, any key may be stored. */
  async load(pages: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const page of pages) {
      this.add(page)
      if (!this.#keys) return
    }
    this.#isComplete = true
  }

  mayHave(key: string): boolean {
    return !this.#keys || !this.#isComplete || this.#keys.has(key)
  }

  /** Called before the results are stored. */
  add(keys: readonly string[]): void {
    if (!this.#keys) return
    for (const key of keys) this.#keys.add(key)
    if (this.#keys.size > this.most) this.#keys = undefined
  }

  /** Called before the results are removed: a result that is stored after that is known again. */
  delete(keys: readonly string[]): void {
    for (const key of keys) this.#keys?.delete(key)
  }
}
