import type { JobMessage, Metrics } from '@medloom/contracts'
import { pages } from '../events/replay.js'
import type { MetricSources } from './metric-sources.js'
import type { EpochValues } from './recent-curves.js'

/** The metrics of each epoch of a job, from its stored messages. */
export async function epochsOf(
  { repository, recent }: MetricSources,
  job: { readonly job_id: string; readonly last_seq: number },
): Promise<ReadonlyMap<number, EpochValues>> {
  const before = recent.get(job.job_id)
  if (before.epochs_seq >= job.last_seq) return before.epochs
  const epochs = new Map(before.epochs)
  const range = { since: before.epochs_seq, upTo: job.last_seq, only: 'kept' as const }
  for await (const page of pages(repository, job.job_id, range))
    for (const { message } of page) {
      const { type, epoch, metrics, ...rest } = JSON.parse(message) as JobMessage
      if (type !== 'validation' && type !== 'epoch_end') continue
      const before = epochs.get(epoch)
      const seconds = 'duration_seconds' in rest ? rest.duration_seconds : (before?.seconds ?? 0)
      epochs.set(epoch, { epoch, seconds, metrics: { ...before?.metrics, ...ownMetrics(metrics) } })
    }
  recent.keep(job.job_id, { epochs, epochs_seq: Math.max(before.epochs_seq, job.last_seq) })
  return epochs
}

/** Batches of an epoch; null before the first progress message. */
export async function batchesPerEpoch(
  { repository, recent }: MetricSources,
  job: { readonly job_id: string; readonly last_seq: number },
): Promise<number | null> {
  const known = recent.get(job.job_id).batches
  if (known !== null) return known
  const newest = await repository.newestProgress(job.job_id, job.last_seq)
  const batches = newest ? (JSON.parse(newest.message).total_batches as number) : null
  recent.keep(job.job_id, { batches })
  return batches
}

/** Without `loss` and `accuracy`, which repeat another value and have different meanings in different messages. */
function ownMetrics({ loss: _loss, accuracy: _accuracy, ...metrics }: Metrics): Metrics {
  return metrics
}
