/**
 * Transactions exclude everything else, since all share one connection: requests wait while one is open, first come, first served. An
 * admitted request is executed at once, within the call, so that nothing can run in between.
 *
 * Patient transactions let others go first: after one other has passed them, it is their turn.
 */
export class TransactionGate {
  #open = false
  readonly #waiting: Waiting[] = []
  readonly #patient: (() => void)[] = []
  #passed = false

  /** Execute a statement outside of any transaction. */
  pass(send: () => void): void {
    if (this.#open) this.#waiting.push({ send, begins: false })
    else send()
  }

  /** Begin a transaction; `leave` ends it. */
  enter(begin: () => void, isPatient = false): void {
    const send = () => {
      this.#open = true
      begin()
    }
    if (!this.#open) send()
    else if (isPatient) this.#patient.push(send)
    else this.#waiting.push({ send, begins: true })
  }

  leave(): void {
    this.#open = false
    while (!this.#open) {
      const next = this.#next()
      if (!next) return
      next()
    }
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting
    if (this.#patient.length > 0 && (!first || (first.begins && this.#passed))) {
      this.#passed = false
      return this.#patient.shift()
    }
    if (first?.begins) this.#passed = this.#patient.length > 0
    return this.#waiting.shift()?.send
  }
}

interface Waiting {
  readonly send: () => void
  readonly begins: boolean
}
