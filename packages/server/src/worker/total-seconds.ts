import type { WorkerTask } from '@medloom/contracts'

/** Tasks that somebody waits for, in processes that others wait for. */
const WAITED_FOR: ReadonlySet<WorkerTask> = new Set([
  'inspect',
  'check_training',
  'preview',
  'images',
  'image_info',
])
/** How many times the deadline for activity such a task may take in total. */
const DEADLINES = 15
/** Tables are read and described at least four times as fast. */
const BYTES_PER_SECOND = 128 * 1024

/**
 * How long a task may take, whatever it does: one that computes shows activity without end, and may report progress without end.
 * Null: no limit.
 */
export function totalSeconds(
  task: WorkerTask,
  readBytes: number,
  inactivitySeconds: number,
  deadlines: number = DEADLINES,
): number | null {
  return WAITED_FOR.has(task) ? deadlines * inactivitySeconds + readBytes / BYTES_PER_SECOND : null
}
