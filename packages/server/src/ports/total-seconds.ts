import type { WorkerTask } from '@medloom/contracts'

/** Tasks that a caller waits for, in processes that others wait for. */
const WAITED_FOR: ReadonlySet<WorkerTask> = new Set([
  'inspect',
  'propose_recipe',
  'named_images',
  'check_training',
  'preview',
  'images',
  'file_image',
  'image_info',
  'cases',
  'distribution',
  'leaks',
])
/** Total time limit of such a task, as a multiple of the deadline for activity. */
const DEADLINES = 15
/** Reading and describing tables is at least four times faster. */
const BYTES_PER_SECOND = 128 * 1024
/** Reading and decoding photos, radiographs and slices is at least four times faster. */
const IMAGES_PER_SECOND = 2

/** Sizes of the inputs of a task, which increase its time limit. */
export interface TaskReads {
  /** Size of its tables. */
  readonly bytes?: number
  readonly images?: number
}

/** Total time limit of a task, whatever it does: a computation can show activity and report progress without end. Null: no limit. */
export function totalSeconds(
  task: WorkerTask,
  { bytes = 0, images = 0 }: TaskReads,
  inactivitySeconds: number,
  deadlines: number = DEADLINES,
): number | null {
  if (!WAITED_FOR.has(task)) return null
  return deadlines * inactivitySeconds + bytes / BYTES_PER_SECOND + images / IMAGES_PER_SECOND
}
