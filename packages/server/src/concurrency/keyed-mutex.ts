/** Tasks with the same key run one after the other, in the order of their arrival; tasks with different keys do not wait. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** @returns the result of `task`; a failure is thrown to its caller only, and the next task runs. */
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
