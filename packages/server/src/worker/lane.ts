import { FairQueue } from '@medloom/workflow'
import type { ProcessSource, WorkerProcess } from './worker-process.js'

export interface Waiter {
  readonly since: number
  resolve(process: WorkerProcess): void
  reject(error: Error): void
}

/** Processes that work beside those that are stuck, until those are ended. */
const MAX_REPLACEMENTS = 2

/**
 * The tasks of one sort: how many work at a time, and who waits. Users take turns. A process that shows no activity gives up its place, so that other
 * tasks go on beside it. It does not know where its processes run.
 */
export class Lane {
  readonly busy = new Set<WorkerProcess>()
  /** By user. */
  readonly #next = new FairQueue<Waiter>()
  /** The same, the one that waits longest first. */
  readonly #waiting = new Set<Waiter>()

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

  get waiting(): number {
    return this.#waiting.size
  }

  /** Longest time that a task has waited, in seconds. */
  get waitedSeconds(): number {
    const [first] = this.#waiting
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
    while (this.#waiting.size > 0 && this.hasRoom) this.#takeNext()?.resolve(this.take())
  }

  /** Nobody waits any more. */
  reject(error: Error): void {
    for (let waiter = this.#takeNext(); waiter; waiter = this.#takeNext()) waiter.reject(error)
  }

  /** @returns how to leave without a process. */
  wait(user: string | null, waiter: Waiter): () => void {
    this.#waiting.add(waiter)
    const leave = this.#next.add(user, waiter)
    return () => {
      this.#waiting.delete(waiter)
      leave()
    }
  }

  #takeNext(): Waiter | undefined {
    const waiter = this.#next.take()
    if (waiter) this.#waiting.delete(waiter)
    return waiter
  }
}
