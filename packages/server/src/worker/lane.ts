import { FairQueue } from '@medloom/workflow'
import type { ProcessSource, WorkerProcess } from './worker-process.js'

export interface Waiter {
  readonly user: string | null
  /** Key of tasks that use the same data in memory; null: none. */
  readonly key?: string | null
  readonly since: number
  resolve(process: WorkerProcess): void
  reject(error: Error): void
}

/** Maximum number of processes that replace stuck ones until those are ended. */
const MAX_REPLACEMENTS = 2

/**
 * Schedules the tasks of one kind: how many run in parallel, and which wait. Users take turns, and while one user has all processes, others
 * may have some more. A process without activity releases its slot, so that other tasks continue. A lane does not know where its processes
 * run.
 */
export class Lane {
  readonly #users = new Map<WorkerProcess, string | null>()
  /** Waiting tasks by user. */
  readonly #next = new FairQueue<Waiter>()
  /** The same tasks, the one that waits longest first. */
  readonly #waiting = new Set<Waiter>()

  constructor(
    private readonly source: ProcessSource,
    private readonly size: () => number,
    private readonly stuckMilliseconds: number,
    /** Additional processes for other users, while one user has all of them. */
    private readonly forOthers = 0,
  ) {}

  get busy(): ReadonlySet<WorkerProcess> {
    return new Set(this.#users.keys())
  }

  /** Returns true if a task of this user need not wait. */
  hasRoomFor(user: string | null): boolean {
    const free = this.#free
    if (free > 0) return true
    const holder = this.#holderOfAll()
    return free + this.forOthers > 0 && holder !== undefined && holder !== user
  }

  /** Processes that any user may have; negative while users other than the one who has all processes use additional ones. */
  get #free(): number {
    return this.size() - this.#users.size + Math.min(this.stuck, MAX_REPLACEMENTS)
  }

  /** The user who has every process; undefined: several users have some. */
  #holderOfAll(): string | null | undefined {
    const holders = new Set(this.#users.values())
    const [holder] = holders
    return holders.size === 1 ? holder : undefined
  }

  /** Processes that have shown no activity for so long that other tasks no longer wait for them. */
  get stuck(): number {
    return [...this.#users.keys()].filter((process) => process.inactiveMilliseconds >= this.stuckMilliseconds)
      .length
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Longest time that a task has waited, in seconds. */
  get waitedSeconds(): number {
    const [first] = this.#waiting
    return first ? (Date.now() - first.since) / 1000 : 0
  }

  take(user: string | null, key: string | null = null): WorkerProcess {
    const process = this.source.take(key)
    this.#users.set(process, user)
    return process
  }

  /** Return a process; waiting tasks are served. */
  giveBack(process: WorkerProcess): void {
    this.#users.delete(process)
    this.source.giveBack(process)
    this.serve()
    this.source.settle(process)
  }

  serve(): void {
    for (let next = this.#nextWithRoom(); next; next = this.#nextWithRoom())
      next.resolve(this.take(next.user, next.key))
  }

  /** Reject all waiting tasks. */
  reject(error: Error): void {
    for (let waiter = this.#takeNext(); waiter; waiter = this.#takeNext()) waiter.reject(error)
  }

  /** @returns a function that stops waiting. */
  wait(waiter: Waiter): () => void {
    this.#waiting.add(waiter)
    const leave = this.#next.add(waiter.user, waiter)
    return () => {
      this.#waiting.delete(waiter)
      leave()
    }
  }

  #takeNext(): Waiter | undefined {
    return this.#removeWaiting(this.#next.take())
  }

  #nextWithRoom(): Waiter | undefined {
    const free = this.#free
    if (free > 0) return this.#takeNext()
    const holder = this.#holderOfAll()
    if (holder === undefined || free + this.forOthers <= 0) return undefined
    return this.#removeWaiting(this.#next.take({ party: holder }))
  }

  #removeWaiting(waiter: Waiter | undefined): Waiter | undefined {
    if (waiter) this.#waiting.delete(waiter)
    return waiter
  }
}
