import type { Clock } from '../src/run/clock.js'

/** A clock that a test advances manually. */
export class ManualClock implements Clock {
  private time = Date.UTC(2026, 0, 1)
  private readonly timers = new Set<{ at: number; callback: () => void }>()

  now(): number {
    return this.time
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.time + milliseconds, callback }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  /** Number of pending calls. */
  get pending(): number {
    return this.timers.size
  }

  advance(milliseconds: number): void {
    const end = this.time + milliseconds
    for (;;) {
      const [due] = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!due) break
      this.timers.delete(due)
      this.time = Math.max(this.time, due.at)
      due.callback()
    }
    this.time = end
  }
}
