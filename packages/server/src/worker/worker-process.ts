import type { WorkerTask } from '@medloom/contracts'
import type { TaskOptions, TaskPlace } from '../ports/task-pool.js'

export interface TaskRequest {
  readonly id: string
  readonly task: WorkerTask
  readonly params: unknown
  /** The task is ended after this time without progress or a result. */
  readonly silenceSeconds: number
  /** The task is ended after this time without any computation: it is stuck, for example on a file that never answers. */
  readonly inactivitySeconds: number
  /** The task is ended after this total time, whatever it does; null: no limit. */
  readonly totalSeconds: number | null
  readonly onProgress?: TaskOptions['onProgress'] | undefined
  /** Called with the cluster node on which it runs. */
  readonly onPlaced?: ((place: TaskPlace) => void) | undefined
}

/** Executes one task at a time, on this machine or elsewhere. */
export interface WorkerProcess {
  /** False once it has ended; a process is never used again after a time-out, an invalid answer or a lack of memory. */
  readonly alive: boolean
  /** It has responded at least once, so its environment works. */
  readonly proven: boolean
  /** Milliseconds since its last sign of activity during the task in flight. */
  readonly inactiveMilliseconds: number
  /** @throws AppError with the code of the trainer, or with the code for the failure of the process. */
  run(request: TaskRequest): Promise<unknown>
  /** End it and the processes that it started. A task in progress is rejected: its caller does not wait any more. */
  close(): Promise<void>
}

/** Source of the processes of a lane. */
export interface ProcessSource {
  /** A process without a task. @param key of tasks that use the same data in memory, such as a model; null: none. */
  take(key?: string | null): WorkerProcess
  /** The process has no task any more. */
  giveBack(process: WorkerProcess): void
  /** Called once the lanes have taken the processes that they need. */
  settle(process: WorkerProcess): void
  close(): Promise<void>
}
