import { randomUUID } from 'node:crypto'
import { Timer } from '../../concurrency/timer.js'
import { TRAINER_RESPAWN_MILLISECONDS } from '../../durations.js'
import type { RunningTrainer } from '../../ports/launcher.js'
import { PrewarmedProcess, type PrewarmedProcessOptions } from './prewarmed-process.js'
import { identify } from './process-identity.js'
import { reportedProcess } from './trainer-process.js'

/** A process that has completed its imports and waits for a job. */
export interface ReadyTrainer {
  readonly trainer: RunningTrainer
  /** Pass the job to the process: the absolute path of spec.json. */
  begin(specPath: string): void
  /** The process is not needed: it exits without training. */
  dismiss(): void
}

export interface PrewarmedTrainerOptions extends PrewarmedProcessOptions {
  /** If the system cannot fork: delay after the start of a job before the next trainer runs its imports. */
  readonly respawnMilliseconds?: number
  /** Time after which a process without a job ends; 0 or absent: never. */
  readonly idleMilliseconds?: number
}

/**
 * Keeps a trainer ready while there are jobs, so that a start takes milliseconds instead of the seconds of importing PyTorch. After some
 * time without a job it frees that memory, and the next job imports again.
 */
export class PrewarmedTrainer {
  #process: PrewarmedProcess | undefined
  readonly #respawn = new Timer(() => this.warm())
  readonly #idle = new Timer(() => this.#closeIfUnused())
  #closed = false

  constructor(readonly options: PrewarmedTrainerOptions) {}

  /** Start the imports now. A failure is reported when a job is to start. */
  warm(): void {
    if (!this.#closed) this.#current()
  }

  /** Id of the process that waits for a job; null: there is none. */
  get processId(): number | null {
    return this.#process?.pid ?? null
  }

  /**
   * A process for a job. A process that died or does not respond is replaced once.
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
    this.#respawn.stop()
    this.#idle.stop()
    this.#process?.close()
    this.#process = undefined
  }

  #current(): PrewarmedProcess {
    if (!this.#process?.isReady) this.#process = new PrewarmedProcess(this.options)
    this.#waitForIdleness()
    return this.#process
  }

  #waitForIdleness(): void {
    const { idleMilliseconds = 0 } = this.options
    if (idleMilliseconds > 0) this.#idle.start(idleMilliseconds)
  }

  /** A process that has created processes for jobs reports their ends, and is kept until the last one has ended. */
  #closeIfUnused(): void {
    if (this.#process?.isUsed) this.#waitForIdleness()
    else {
      this.#process?.close()
      this.#process = undefined
    }
  }

  /** Concurrent requests of jobs get a separate process each. */
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
    // A process that cannot be identified never gets a job: it could not be found again.
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
      this.#idle.stop()
    }
    if (!this.#closed) this.#respawn.start(this.options.respawnMilliseconds ?? TRAINER_RESPAWN_MILLISECONDS)
  }
}
