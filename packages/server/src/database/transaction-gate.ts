/**
 * Transactions exclude everything else, since all share one connection: what comes while one is open waits, first come, first
 * served. What is let through is executed at once, within the call, so that nothing can step in between.
 */
export class TransactionGate {
  #open = false
  readonly #waiting: (() => void)[] = []

  /** Execute a statement that belongs to no transaction. */
  pass(send: () => void): void {
    if (this.#open) this.#waiting.push(send)
    else send()
  }

  /** Begin a transaction; `leave` ends it. */
  enter(begin: () => void): void {
    this.pass(() => {
      this.#open = true
      begin()
    })
  }

  leave(): void {
    this.#open = false
    while (!this.#open) {
      const next = this.#waiting.shift()
      if (!next) return
      next()
    }
  }
}
