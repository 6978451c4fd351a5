/** Ids that are valid once within a period, remembered for one to two periods. */
export class SingleUse {
  #recent = new Set<string>()
  #older = new Set<string>()
  #periodEnd: number

  constructor(
    private readonly milliseconds: number,
    private readonly now: () => number = Date.now,
  ) {
    this.#periodEnd = now() + milliseconds
  }

  /** @returns true for the first use. */
  take(id: string): boolean {
    this.#forget()
    if (this.#recent.has(id) || this.#older.has(id)) return false
    this.#recent.add(id)
    return true
  }

  #forget(): void {
    const now = this.now()
    if (now < this.#periodEnd) return
    // After two periods without a request even the recent ones are too old.
    this.#older = now < this.#periodEnd + this.milliseconds ? this.#recent : new Set()
    this.#recent = new Set()
    this.#periodEnd = now + this.milliseconds
  }
}
