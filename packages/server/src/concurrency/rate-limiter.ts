import { Timer } from './timer.js'

/** The fractional parts of its multiples divide the interval from 0 to 1 evenly, whatever their number. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

/** Limits how often the members of a group work, so that all together work at most the given number of times per second. */
export class RateLimiter {
  #members = 0
  #joined = 0

  constructor(private readonly perSecond: number) {}

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

  /** Milliseconds between two calls of a member. */
  get interval(): number {
    return (this.#members * 1000) / this.perSecond
  }

  /**
   * Calls `work` again and again: `milliseconds` after the end of the last call, or later with many members. Members that join together
   * start one after the other. @returns a function that ends it
   */
  repeat(milliseconds: number, work: () => Promise<void>): () => void {
    const leave = this.join()
    const interval = () => Math.max(milliseconds, this.interval)
    let isEnded = false
    const timer = new Timer(async () => {
      await work()
      if (!isEnded) timer.start(interval())
    })
    timer.start(((this.#joined * GOLDEN_RATIO) % 1) * interval())
    return () => {
      isEnded = true
      leave()
      timer.stop()
    }
  }
}
