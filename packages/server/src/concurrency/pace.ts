/** Multiples of it, less their whole parts, divide the time between 0 and 1 evenly, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

/** How often each of many takes its turn, so that all of them together take no more than so many turns a second. */
export class Pace {
  #members = 0
  #joined = 0

  constructor(private readonly turnsPerSecond: number) {}

  /** @returns how to leave. */
  join(): () => void {
    this.#members += 1
    this.#joined += 1
    let joined = true
    return () => {
      if (joined) this.#members -= 1
      joined = false
    }
  }

  /** Until the first turn of the member that joined last. Those that join together take theirs one after the other. */
  first(atMost: number): number {
    return ((this.#joined * GOLDEN_RATIO) % 1) * Math.max(atMost, this.milliseconds)
  }

  /** From one turn of a member to its next. */
  get milliseconds(): number {
    return (this.#members * 1000) / this.turnsPerSecond
  }
}
