import type { Phrase, WORKER_TASKS, WorkerTask } from '@medloom/contracts'
import type { z } from 'zod'
import type { TaskReads } from './total-seconds.js'

/** Location of a task, and the amount of its inputs that was already there. */
export interface TaskPlace {
  readonly node: string
  readonly inputBytes: number
  readonly localBytes: number
}

export type TaskParams<T extends WorkerTask> = z.input<(typeof WORKER_TASKS)[T]['params']>
export type TaskResult<T extends WorkerTask> = z.output<(typeof WORKER_TASKS)[T]['result']>
export interface TaskOptions {
  readonly onProgress?: (fraction: number, message: string, phrases?: readonly Phrase[]) => void
  /** Called with the cluster node on which it runs; not called for tasks on this machine. */
  readonly onPlaced?: (place: TaskPlace) => void
  /** Ends the task: only its own process is killed. A task that waits for a process stops waiting. */
  readonly signal?: AbortSignal
  /** Tables and images that are read: the task gets a longer total time. */
  readonly reads?: TaskReads
  /** Ends only the wait for a process; a running task continues, and its process stays warm. */
  readonly waits?: AbortSignal
}

/** Short tasks in Python, in processes that stay warm because importing PyTorch takes seconds. */
export interface TaskPool {
  /** @throws AppError with the code of the trainer, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE. */
  run<T extends WorkerTask>(task: T, params: TaskParams<T>, options?: TaskOptions): Promise<TaskResult<T>>
  /** Reason why tasks cannot be executed, if the problem persists; null: they can. */
  problem(): string | null
  /**
   * Calls back now and at every change with the number of workflow nodes that a cluster can execute in parallel; never without a cluster.
   */
  onClusterSize(listener: (nodes: number) => void): void
  close(): Promise<void>
}
