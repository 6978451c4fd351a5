import type { TaskProcess } from './task-process.js'

export interface Waiter {
  readonly since: number
  resolve(process: TaskProcess): void
  reject(error: Error): void
}

/** Processes that work beside those that are stuck, until those are ended. */
const MAX_REPLACEMENTS = 2

/**
 * The tasks of one sort: how many work at a time, and who waits. A process that shows no activity gives up its place, so that other
 * tasks go on beside it.
 */
export class Lane {
  readonly busy = new Set<TaskProcess>()
  readonly waiting: Waiter[] = []

  constructor(
    readonly size: number,
    private readonly stuckMilliseconds: number,
  ) {}

  get hasRoom(): boolean {
    return this.busy.size - Math.min(this.stuck, MAX_REPLACEMENTS) < this.size
  }

  /** Processes that have shown no activity for so long that other tasks no longer wait for them. */
  get stuck(): number {
    return [...this.busy].filter((process) => process.inactiveMilliseconds >= this.stuckMilliseconds).length
  }

  /** Seconds that the first in the queue has waited. */
  get waitedSeconds(): number {
    const [first] = this.waiting
    return first ? (Date.now() - first.since) / 1000 : 0
  }

  leave(waiter: Waiter): void {
    const place = this.waiting.indexOf(waiter)
    if (place >= 0) this.waiting.splice(place, 1)
  }
}
