import type { WorkerTask } from '@medloom/contracts'

export interface TaskRequest {
  readonly id: string
  readonly task: WorkerTask
  readonly params: unknown
  /** The task is ended when neither progress nor a result came for so long. */
  readonly silenceSeconds: number
  /** The task is ended when nothing was computed for so long: it is stuck, on a file that never answers for example. */
  readonly inactivitySeconds: number
  /** The task is ended after so long, whatever it does; null: no limit. */
  readonly totalSeconds: number | null
  readonly onProgress?: ((fraction: number, message: string) => void) | undefined
  /** Told of the node of a cluster that it runs on. */
  readonly onPlaced?: ((place: TaskPlace) => void) | undefined
}

/** Where a task runs, and how much of what it reads has been there before. */
export interface TaskPlace {
  readonly node: string
  readonly inputBytes: number
  readonly localBytes: number
}

/** Takes one task at a time, on this machine or elsewhere. */
export interface WorkerProcess {
  /** False once it has ended; a process is never used again after a time-out, a broken answer or a lack of memory. */
  readonly alive: boolean
  /** It has responded at least once, so its environment works. */
  readonly proven: boolean
  /** Milliseconds since its last sign of activity during the task in flight. */
  readonly inactiveMilliseconds: number
  /** @throws AppError with the code of the trainer, or that of what happened to the process. */
  run(request: TaskRequest): Promise<unknown>
  /** End it, and what it started. A task in flight is rejected: its caller does not wait any more. */
  close(): Promise<void>
}

/** Where the processes of a lane come from. */
export interface ProcessSource {
  /** One without a task. */
  take(): WorkerProcess
  /** It has none any more. */
  giveBack(process: WorkerProcess): void
  /** Called once the lanes have taken what they need. */
  settle(process: WorkerProcess): void
  close(): Promise<void>
}
