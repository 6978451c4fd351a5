import { phrase } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { TaskInFlight } from '../task-in-flight.js'
import type { TaskRequest, WorkerProcess } from '../worker-process.js'

/** Sends tasks to the cluster. */
export interface TaskCarrier {
  carry(task: TaskInFlight): void
  cancel(id: string): void
}

/** A slot of the cluster for one task; the node is chosen per task. */
export class ClusterProcess implements WorkerProcess {
  readonly proven = true
  #task: TaskInFlight | undefined
  #closed = false

  constructor(private readonly carrier: TaskCarrier) {}

  get alive(): boolean {
    return !this.#closed
  }

  get inactiveMilliseconds(): number {
    return this.#task?.inactiveMilliseconds ?? 0
  }

  /** @throws AppError with the code of the trainer, WORKER_TIMEOUT, TRAINER_FAILED, NODE_FAILED or CLUSTER_UNREACHABLE. */
  run(request: TaskRequest): Promise<unknown> {
    this.#task = new TaskInFlight(request, () => this.carrier.cancel(request.id))
    if (this.#closed) this.#task.fail(closing())
    else this.carrier.carry(this.#task)
    return this.#task.answer
  }

  async close(): Promise<void> {
    this.#closed = true
    if (!this.#task || this.#task.settled) return
    this.#task.fail(closing())
    this.carrier.cancel(this.#task.request.id)
  }
}

function closing(): AppError {
  return new AppError('TRAINER_FAILED', phrase('service_shutting_down'), phrase('when_service_runs'))
}
