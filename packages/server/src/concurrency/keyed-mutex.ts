/** Tasks that share a key run one after the other, in the order in which they came; tasks of different keys do not wait. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** @returns what `task` gives; its failure is the caller's alone, the next task runs all the same. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(task, task)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
