import type { BackgroundTask, Phrase } from '@medloom/contracts'

/** Reports the progress of work, from 0 to 1, and its phase in English with its phrases. */
export type OnProgress = (fraction: number, phase: string, phrases?: readonly Phrase[]) => void

/** Work that continues after its caller disconnects. */
export interface BackgroundTasks {
  /** Start a task. @throws AppError QUEUE_FULL */
  begin(
    route: string,
    request: Record<string, unknown>,
    owner: string | null,
    work: (signal: AbortSignal, onProgress: OnProgress) => Promise<unknown>,
  ): Promise<BackgroundTask>
}
