/** How often each of many takes its turn, so that all of them together take no more than so many turns a second. */
export class Pace {
  #members = 0

  constructor(private readonly turnsPerSecond: number) {}

  /** @returns how to leave. */
  join(): () => void {
    this.#members += 1
    let joined = true
    return () => {
      if (joined) this.#members -= 1
      joined = false
    }
  }

  /** From one turn of a member to its next. */
  get milliseconds(): number {
    return (this.#members * 1000) / this.turnsPerSecond
  }
}
