import { join } from 'node:path'
import type { TaskPool } from '../../worker/task-pool.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
} from '../launcher.js'
import { unknownTrainer } from '../polled-trainer.js'
import { findAccelerators } from './accelerators.js'
import { PrewarmedTrainer } from './prewarmed-trainer.js'
import { adoptedProcess, LocalHandle } from './trainer-process.js'

export interface LocalLauncherOptions {
  readonly python: string
  /** Folder of prewarmed-trainer.log. */
  readonly logs: string
  readonly pool: Pick<TaskPool, 'run'>
  readonly maxJobs: number | null
  /** Whether the imports are done at the start, not when the first job comes. */
  readonly prewarm: boolean
}

/** An attempt is never submitted again after its end, except at once by a caller that did not see it. */
const MAX_ENDED = 1000

/** Trainers as processes of this machine, in sessions of their own: they outlive the service. */
export class LocalLauncher implements Launcher {
  readonly #prewarmed: PrewarmedTrainer
  readonly #submitted = new Map<string, Promise<RunningTrainer | null>>()
  readonly #ended = new Map<string, TrainerHandle>()
  #capacity: Promise<Capacity> | undefined

  constructor(readonly options: LocalLauncherOptions) {
    const { python, logs } = options
    this.#prewarmed = new PrewarmedTrainer({ python, logFile: join(logs, 'prewarmed-trainer.log') })
  }

  /** The machine is asked once: its accelerators do not change while it runs. */
  capacity(): Promise<Capacity> {
    const { pool, maxJobs } = this.options
    this.#capacity ??= findAccelerators(pool).then((accelerators) => ({ accelerators, maxJobs }))
    return this.#capacity
  }

  async submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    const key = `${order.job_id} ${order.attempt}`
    const ended = this.#ended.get(key)
    if (ended) return this.attach(ended)
    const known = this.#submitted.get(key)
    if (known) return known
    const submission = this.#start(order, record)
    this.#submitted.set(key, submission)
    try {
      const trainer = await submission
      if (trainer) void trainer.gone.then(() => this.#forget(key, trainer.handle))
      else this.#submitted.delete(key)
      return trainer
    } catch (error) {
      this.#submitted.delete(key)
      throw error
    }
  }

  attach(handle: TrainerHandle): RunningTrainer {
    const own = LocalHandle.safeParse(handle)
    return own.success ? adoptedProcess(own.data) : unknownTrainer(handle)
  }

  start(): void {
    if (this.options.prewarm) this.#prewarmed.warm()
  }

  close(): void {
    this.#prewarmed.close()
  }

  /** Once a trainer has ended only its handle is kept, and of many trainers only the newest. */
  #forget(key: string, handle: TrainerHandle): void {
    this.#submitted.delete(key)
    this.#ended.set(key, handle)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
  }

  /** The process is recorded before it receives its order: when the service dies in between, its input closes and it exits. */
  async #start({ spec }: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    const ready = await this.#prewarmed.take()
    try {
      if (await record(ready.trainer.handle, 'running')) {
        ready.begin(spec)
        return ready.trainer
      }
    } catch (error) {
      ready.dismiss()
      throw error
    }
    ready.dismiss()
    return null
  }
}
