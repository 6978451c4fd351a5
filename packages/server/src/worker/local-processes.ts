import { Timer } from '../concurrency/timer.js'
import type { RotatingLog } from '../storage/rotating-log.js'
import { TaskProcess } from './task-process.js'
import type { ProcessSource, WorkerProcess } from './worker-process.js'

export interface LocalProcessesOptions {
  readonly python: string
  /** Log of all processes: one file, one writer. */
  readonly log: RotatingLog
  readonly memory: number | null
  /** Time for which a second process without a task is kept. */
  readonly warmSeconds: number
  /** Time for which the last process without a task is kept; 0: permanently. */
  readonly idleSeconds: number
}

/** Processes on this machine. They stay warm, because importing PyTorch takes seconds; all lanes of this machine share them. */
export class LocalProcesses implements ProcessSource {
  readonly #idle: WorkerProcess[] = []
  readonly #keys = new WeakMap<WorkerProcess, string>()
  readonly #cooling = new Timer(() => this.#keep(1))
  readonly #releasing = new Timer(() => this.#keep(0))
  #closed = false

  constructor(private readonly options: LocalProcessesOptions) {}

  /** The warm process that had the last task with this key, otherwise the one that ended a task last, otherwise a new one. */
  take(key: string | null = null): WorkerProcess {
    for (let at = this.#idle.length - 1; at >= 0; at--)
      if (this.#idle[at]?.alive === false) this.#idle.splice(at, 1)
    const same = key === null ? -1 : this.#idle.findLastIndex((idle) => this.#keys.get(idle) === key)
    const [process = this.#start()] = this.#idle.splice(same, 1)
    if (key !== null) this.#keys.set(process, key)
    return process
  }

  giveBack(process: WorkerProcess): void {
    if (this.#closed) return
    if (!process.alive) void process.close()
    else this.#idle.push(process)
  }

  /**
   * Called after the lanes have taken the processes that they need: two are kept warm for a while, the last one until there was no task for
   * long.
   */
  settle(process: WorkerProcess): void {
    if (this.#closed) return
    // Otherwise parallel nodes would import PyTorch each time.
    this.#keep(2)
    this.#cooling.start(this.options.warmSeconds * 1000)
    if (this.options.idleSeconds > 0) this.#releasing.start(this.options.idleSeconds * 1000)
    // A process that never responded is replaced only for the next task: a broken environment must not cause a loop.
    if (this.#idle.length === 0 && !process.alive && process.proven) this.#idle.push(this.#start())
  }

  /** Ends the processes without a task that are idle longest, except this number. */
  #keep(count: number): void {
    while (this.#idle.length > count) void this.#idle.shift()?.close()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cooling.stop()
    this.#releasing.stop()
    await Promise.all(this.#idle.splice(0).map((process) => process.close()))
  }

  #start(): WorkerProcess {
    return new TaskProcess(this.options)
  }
}
