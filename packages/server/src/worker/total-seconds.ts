import type { WorkerTask } from '@medloom/contracts'

/** Tasks that somebody waits for, in processes that others wait for. */
const WAITED_FOR: ReadonlySet<WorkerTask> = new Set([
  'inspect',
  'check_training',
  'preview',
  'images',
  'image_info',
  'cases',
  'distribution',
  'leaks',
])
/** How many times the deadline for activity such a task may take in total. */
const DEADLINES = 15
/** Tables are read and described at least four times as fast. */
const BYTES_PER_SECOND = 128 * 1024
/** Photos, radiographs and slices are read and decoded at least four times as fast. */
const IMAGES_PER_SECOND = 2

/** Sizes of the inputs of a task, for which it has more time. */
export interface TaskReads {
  /** Size of its tables. */
  readonly bytes?: number
  readonly images?: number
}

/**
 * How long a task may take, whatever it does: one that computes shows activity without end, and may report progress without end.
 * Null: no limit.
 */
export function totalSeconds(
  task: WorkerTask,
  { bytes = 0, images = 0 }: TaskReads,
  inactivitySeconds: number,
  deadlines: number = DEADLINES,
): number | null {
  if (!WAITED_FOR.has(task)) return null
  return deadlines * inactivitySeconds + bytes / BYTES_PER_SECOND + images / IMAGES_PER_SECOND
}
