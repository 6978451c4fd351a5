import type { ProcessSource, WorkerProcess } from './worker-process.js'

export interface Waiter {
  readonly since: number
  resolve(process: WorkerProcess): void
  reject(error: Error): void
}

/** Processes that work beside those that are stuck, until those are ended. */
const MAX_REPLACEMENTS = 2

/**
 * The tasks of one sort: how many work at a time, and who waits. A process that shows no activity gives up its place, so that other
 * tasks go on beside it. It does not know where its processes run.
 */
export class Lane {
  readonly busy = new Set<WorkerProcess>()
  readonly waiting: Waiter[] = []

  constructor(
    private readonly source: ProcessSource,
    private readonly size: () => number,
    private readonly stuckMilliseconds: number,
  ) {}

  get hasRoom(): boolean {
    return this.busy.size - Math.min(this.stuck, MAX_REPLACEMENTS) < this.size()
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

  take(): WorkerProcess {
    const process = this.source.take()
    this.busy.add(process)
    return process
  }

  /** Those that wait are served. */
  giveBack(process: WorkerProcess): void {
    this.busy.delete(process)
    this.source.giveBack(process)
    this.serve()
    this.source.settle(process)
  }

  serve(): void {
    while (this.waiting.length > 0 && this.hasRoom) this.waiting.shift()?.resolve(this.take())
  }

  /** Nobody waits any more. */
  reject(error: Error): void {
    for (const waiter of this.waiting.splice(0)) waiter.reject(error)
  }

  leave(waiter: Waiter): void {
    const place = this.waiting.indexOf(waiter)
    if (place >= 0) this.waiting.splice(place, 1)
  }
}
