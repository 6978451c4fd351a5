import type { Job } from './live-job'

/** Text that describes the effect of a stop on the model: it depends on how far the training is. */
export function stopText({ queue_position, epoch }: Pick<Job, 'queue_position' | 'epoch'>) {
  if (queue_position !== null) return 'stop.text.queued'
  return epoch === 0 ? 'stop.text.early' : 'stop.text'
}
