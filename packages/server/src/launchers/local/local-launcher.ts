import { join } from 'node:path'
import { phrase } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
} from '../../ports/launcher.js'
import type { TaskPool } from '../../ports/task-pool.js'
import { unknownTrainer } from '../polled-trainer.js'
import { SubmittedTrainers } from '../submitted-trainers.js'
import { findAccelerators } from './accelerators.js'
import { refuseOtherMachines } from './other-machines.js'
import { PrewarmedTrainer } from './prewarmed-trainer.js'
import { remoteProcess } from './remote-process.js'
import { adoptedProcess, LocalHandle } from './trainer-process.js'

export interface LocalLauncherOptions {
  readonly python: string
  /** Folder of prewarmed-trainer.log. */
  readonly logs: string
  readonly pool: Pick<TaskPool, 'run'>
  readonly maxJobs: number | null
  /** True if the imports run at the start, not when the first job arrives. */
  readonly prewarm: boolean
  /** Seconds without a job after which the prewarmed process ends; 0 or absent: never. */
  readonly idleSeconds?: number | undefined
  /**
   * Set if services on several machines may share the database; `gone`: the name of a machine that does not return. Absent: there is only
   * one machine.
   */
  readonly machines?: { readonly gone: string | null }
}

/** Trainers as processes of this machine, in separate sessions: they survive the service. */
export class LocalLauncher implements Launcher {
  readonly #prewarmed: PrewarmedTrainer
  readonly #submitted = new SubmittedTrainers((handle) => this.attach(handle))
  #capacity: Promise<Capacity> | undefined

  constructor(readonly options: LocalLauncherOptions) {
    const { python, logs, idleSeconds = 0 } = options
    const logFile = join(logs, 'prewarmed-trainer.log')
    this.#prewarmed = new PrewarmedTrainer({ python, logFile, idleMilliseconds: idleSeconds * 1000 })
  }

  /** The machine is queried once: its accelerators do not change while it runs. */
  capacity(): Promise<Capacity> {
    const { pool, maxJobs } = this.options
    this.#capacity ??= findAccelerators(pool).then((accelerators) => ({ accelerators, maxJobs }))
    return this.#capacity
  }

  submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    return this.#submitted.submit(order, () => this.#start(order, record))
  }

  attach(handle: TrainerHandle): RunningTrainer {
    const own = LocalHandle.safeParse(handle)
    return own.success ? adoptedProcess(own.data) : unknownTrainer(handle)
  }

  async refuseForeign(handles: readonly TrainerHandle[]): Promise<void> {
    const { machines } = this.options
    if (machines) await refuseOtherMachines(handles, machines.gone)
  }

  start(): void {
    if (this.options.prewarm) this.#prewarmed.warm()
  }

  close(): void {
    this.#prewarmed.close()
  }

  /** The process is recorded before it receives its order: if the service dies in between, the input of the process closes and it exits. */
  async #start(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    // The job may have been accepted by a service with another launcher.
    if (order.resources.nodes > 1)
      throw new AppError(
        'DEVICE_UNAVAILABLE',
        phrase('several_nodes_requested'),
        phrase('devices_of_one_machine'),
      )
    const { python, logs } = this.options
    const ready =
      order.token === undefined
        ? await this.#prewarmed.take()
        : await remoteProcess(order, python, join(logs, 'remote-trainer.log'))
    try {
      if (await record(ready.trainer.handle, 'running')) {
        ready.begin(order.spec)
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
