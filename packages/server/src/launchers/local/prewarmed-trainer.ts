import { randomUUID } from 'node:crypto'
import type { RunningTrainer } from '../launcher.js'
import { PrewarmedProcess, type PrewarmedProcessOptions } from './prewarmed-process.js'
import { identify } from './process-identity.js'
import { reportedProcess } from './trainer-process.js'

/** A process that has done its imports and waits for a job. */
export interface ReadyTrainer {
  readonly trainer: RunningTrainer
  /** Hand the job over: the absolute path of spec.json. */
  begin(specPath: string): void
  /** Not needed after all: it exits without having trained. */
  dismiss(): void
}

export interface PrewarmedTrainerOptions extends PrewarmedProcessOptions {
  /** Where no process can fork: how long a job that starts is left alone before the next trainer does its imports. */
  readonly respawnMilliseconds?: number
  /** How long a process without a job stays; 0 or absent: for good. */
  readonly idleMilliseconds?: number
}

/**
 * Keeps a trainer ready while there are jobs: starting one then takes milliseconds, not the seconds of importing PyTorch. After a while without a
 * job it frees that memory, and the next job imports again.
 */
export class PrewarmedTrainer {
  #process: PrewarmedProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(readonly options: PrewarmedTrainerOptions) {}

  /** Start the imports now. A failure shows when a job is to start. */
  warm(): void {
    if (!this.#closed) this.#current()
  }

  /** The process that waits for a job; null: none does. */
  get processId(): number | null {
    return this.#process?.pid ?? null
  }

  /**
   * A process for a job. One that died or does not respond is replaced once.
   * @throws AppError PYTHON_UNAVAILABLE when no process can be started.
   */
  async take(): Promise<ReadyTrainer> {
    const fresh = !this.#process?.isReady
    try {
      return await this.#readyTrainer()
    } catch (error) {
      if (fresh || this.#closed) throw error
      return this.#readyTrainer()
    }
  }

  /** The process without a job ends; trainings continue. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#idle)
    this.#process?.close()
    this.#process = undefined
  }

  #current(): PrewarmedProcess {
    if (!this.#process?.isReady) this.#process = new PrewarmedProcess(this.options)
    this.#waitForIdleness()
    return this.#process
  }

  /** One that has made processes for jobs reports their ends, and stays until the last one has ended. */
  #waitForIdleness(): void {
    const { idleMilliseconds = 0 } = this.options
    clearTimeout(this.#idle)
    if (idleMilliseconds === 0) return
    this.#idle = setTimeout(() => {
      if (this.#process?.isUsed) return this.#waitForIdleness()
      this.#process?.close()
      this.#process = undefined
    }, idleMilliseconds)
    this.#idle.unref()
  }

  /** Of jobs that ask at the same time, each gets a process of its own. */
  async #readyTrainer(): Promise<ReadyTrainer> {
    for (;;) {
      const ready = await this.#fork(this.#current())
      if (ready) return ready
    }
  }

  async #fork(prewarmed: PrewarmedProcess): Promise<ReadyTrainer | null> {
    const mark = randomUUID()
    const forked = await prewarmed.fork(mark)
    if (!forked) return null
    const { pid, ended } = forked
    if (pid === prewarmed.pid) this.#replaceLater(prewarmed)
    // One that cannot be identified is never given a job: it could not be found again.
    const identity = await identify(pid, mark).catch((error) => {
      prewarmed.dismiss(pid)
      throw error
    })
    const handle = {
      launcher: 'local',
      ...(identity ?? { pid, started: 'never seen', boot: 'never seen', mark }),
    }
    return {
      trainer: reportedProcess({ ...handle, launcher: 'local' }, ended),
      begin: (specPath) => prewarmed.begin(pid, specPath),
      dismiss: () => prewarmed.dismiss(pid),
    }
  }

  /** It has become the process of the job. */
  #replaceLater(prewarmed: PrewarmedProcess): void {
    if (this.#process === prewarmed) {
      this.#process = undefined
      clearTimeout(this.#idle)
    }
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.warm(), this.options.respawnMilliseconds ?? 5000)
    this.#timer.unref()
  }
}
