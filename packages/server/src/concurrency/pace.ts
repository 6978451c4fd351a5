/** The fractional parts of its multiples divide the interval from 0 to 1 evenly, whatever their number. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

/** Interval between the turns of each of many members, so that all together take at most the given number of turns per second. */
export class Pace {
  #members = 0
  #joined = 0

  constructor(private readonly turnsPerSecond: number) {}

  /** @returns a function that leaves. */
  join(): () => void {
    this.#members += 1
    this.#joined += 1
    let joined = true
    return () => {
      if (joined) this.#members -= 1
      joined = false
    }
  }

  /** Time until the first turn of the member that joined last. Members that join together start one after the other. */
  first(atMost: number): number {
    return ((this.#joined * GOLDEN_RATIO) % 1) * Math.max(atMost, this.milliseconds)
  }

  /** Time between two turns of a member. */
  get milliseconds(): number {
    return (this.#members * 1000) / this.turnsPerSecond
  }
}
