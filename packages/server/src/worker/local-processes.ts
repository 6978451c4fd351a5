import type { RotatingLog } from '../storage/rotating-log.js'
import { TaskProcess } from './task-process.js'
import type { ProcessSource, WorkerProcess } from './worker-process.js'

export interface LocalProcessesOptions {
  readonly python: string
  /** Of all processes: one file, one writer. */
  readonly log: RotatingLog
  readonly memory: number | null
  /** How long a second process without a task stays. */
  readonly warmSeconds: number
}

/** Processes on this machine. They stay warm, because importing PyTorch takes seconds; all lanes of this machine share them. */
export class LocalProcesses implements ProcessSource {
  readonly #idle: WorkerProcess[] = []
  #cooling: NodeJS.Timeout | undefined
  #closed = false

  constructor(private readonly options: LocalProcessesOptions) {}

  /** A warm process, or a new one. */
  take(): WorkerProcess {
    let process = this.#idle.pop()
    while (process && !process.alive) process = this.#idle.pop()
    return process ?? this.#start()
  }

  giveBack(process: WorkerProcess): void {
    if (this.#closed) return
    if (!process.alive) void process.close()
    else this.#idle.push(process)
  }

  /** After the lanes have taken what they need: one is kept warm for good, a second for a while. */
  settle(process: WorkerProcess): void {
    if (this.#closed) return
    // Nodes side by side would else import PyTorch each time.
    while (this.#idle.length > 2) void this.#idle.shift()?.close()
    clearTimeout(this.#cooling)
    this.#cooling = setTimeout(() => {
      while (this.#idle.length > 1) void this.#idle.shift()?.close()
    }, this.options.warmSeconds * 1000)
    this.#cooling.unref()
    // One that never responded is replaced only for the next task: a broken environment must not cause a loop.
    if (this.#idle.length === 0 && !process.alive && process.proven) this.#idle.push(this.#start())
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#cooling)
    await Promise.all(this.#idle.splice(0).map((process) => process.close()))
  }

  #start(): WorkerProcess {
    return new TaskProcess(this.options)
  }
}
