import type { JobMessage, MetricSeries, Metrics } from '@medloom/contracts'
import type { z } from 'zod'
import { pages } from '../events/replay.js'
import type { TrainingRepository } from '../training.repository.js'
import { foldPoints, type MetricFolder, RECENT_MESSAGES } from './metric-folder.js'
import { type Bucket, incomplete, levelFor, mergeBuckets, type Point, type Summary } from './metric-levels.js'
import type { MetricLevelsRepository } from './metric-levels.repository.js'
import type { EpochPoint, ReadCurve, RecentCurves } from './recent-curves.js'

/** Progress that is read as it was sent; with more of it, it is folded first. */
const MAX_UNFOLDED = 4 * RECENT_MESSAGES

export interface MetricSeriesSources {
  readonly repository: TrainingRepository
  readonly levels: MetricLevelsRepository
  readonly folder: MetricFolder
  readonly recent: RecentCurves
}

/** The curves of a job: one point per epoch, and its batches summed up in at most `buckets` buckets. */
export async function metricSeries(
  sources: MetricSeriesSources,
  job: { job_id: string; last_seq: number },
  buckets: number,
): Promise<z.infer<typeof MetricSeries>> {
  const { levels, folder } = sources
  const { folded_seq } = await levels.find(job.job_id)
  if (job.last_seq - folded_seq > MAX_UNFOLDED) await folder.fold(job.job_id)
  return folder.during(job.job_id, async () => {
    const found = await bucketsOf(sources, job, buckets)
    return { job_id: job.job_id, epochs: await epochsOf(sources, job), batches: columnsOf(found) }
  })
}

/** What is folded from its levels, the rest from its messages. */
async function bucketsOf(
  sources: MetricSeriesSources,
  { job_id, last_seq }: { job_id: string; last_seq: number },
  count: number,
): Promise<Bucket[]> {
  const { repository, levels } = sources
  const stored = await levels.find(job_id)
  const sent: Point[] = []
  const range = { since: stored.folded_seq, upTo: last_seq, only: 'progress' as const }
  for await (const page of pages(repository, job_id, range))
    for (const { message } of page) sent.push(JSON.parse(message))
  const all = foldPoints(stored, sent)
  const level = levelFor(all.points, count)
  const rest = incomplete(all, level)
  return mergeBuckets(count, [
    ...(await completeBuckets(sources, job_id, { level, folded_seq: stored.folded_seq })),
    ...all.complete.flatMap((complete) => (complete.level === level ? [complete.bucket] : [])),
    ...(rest ? [rest] : []),
  ])
}

/** Of what is folded. */
async function completeBuckets(
  { levels, recent }: MetricSeriesSources,
  jobId: string,
  wanted: Pick<ReadCurve, 'level' | 'folded_seq'>,
): Promise<readonly Bucket[]> {
  const { level, folded_seq, buckets } = recent.get(jobId)
  if (level === wanted.level && folded_seq === wanted.folded_seq) return buckets
  const read = await levels.buckets(jobId, wanted.level)
  recent.keep(jobId, { ...wanted, buckets: read })
  return read
}

async function epochsOf(
  { repository, recent }: MetricSeriesSources,
  job: { job_id: string; last_seq: number },
): Promise<EpochPoint[]> {
  const before = recent.get(job.job_id)
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
  return [...epochs.values()].sort((a, b) => a.epoch - b.epoch)
}

function columnsOf(buckets: readonly Bucket[]): z.infer<typeof MetricSeries>['batches'] {
  const of = (name: string, value: (summary: Summary) => number) =>
    buckets.map(({ series }) => (series[name] ? value(series[name]) : null))
  const mean = ({ sum, count }: Summary) => sum / count
  const names = [...new Set(buckets.flatMap(({ series }) => Object.keys(series)))].sort()
  return {
    step: buckets.map(({ last }) => last.step),
    loss: of('loss', mean),
    loss_min: of('loss', ({ min }) => min),
    loss_max: of('loss', ({ max }) => max),
    learning_rate: of('learning_rate', mean),
    samples_per_second: of('samples_per_second', mean),
    ranges: buckets.map(({ points, first, last }) => ({
      points,
      first: { epoch: first.epoch, batch: first.batch },
      last: { epoch: last.epoch, batch: last.batch },
    })),
    series: Object.fromEntries(
      names.map((name) => [
        name,
        {
          mean: of(name, mean),
          min: of(name, ({ min }) => min),
          max: of(name, ({ max }) => max),
          last: of(name, ({ last }) => last),
        },
      ]),
    ),
  }
}

/** Without `loss` and `accuracy`, which repeat another value and mean different ones in different messages. */
function ownMetrics({ loss: _loss, accuracy: _accuracy, ...metrics }: Metrics): Metrics {
  return metrics
}
