import type { MetricSeries } from '@medloom/contracts'
import type { JobRecord } from '../job-record.js'
import { column, columnsOf, mean } from './columns.js'
import { bucketsOf, firstBucket, rangeOfCurve } from './curve-range.js'
import { batchesPerEpoch, epochsOf } from './epoch-points.js'
import { lineageOf, replacedFrom } from './lineage.js'
import { type Bucket, levelFor, mergeBuckets, type Place } from './metric-levels.js'
import { RECENT_MESSAGES } from './metric-rollup.js'
import type { MetricSources } from './metric-sources.js'
import { type OpenCurve, openCurve } from './open-curve.js'
import type { EpochValues } from './recent-curves.js'

/** Number of progress messages that are read directly; if there are more, they are aggregated first. */
const MAX_UNROLLED = 4 * RECENT_MESSAGES

/** Request for the curves of a job. */
export interface CurveRequest {
  readonly buckets: number
  /** Steps: batches from the start of the training. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Names; absent: every series. */
  readonly series?: readonly string[] | undefined
  /** True if the line includes the jobs that this job continues. */
  readonly lineage?: boolean
}

type Asked = Pick<JobRecord, 'job_id' | 'last_seq' | 'resumed_from'>

/** Data read from one job of a line. */
interface Part {
  readonly job: Asked
  readonly curve: OpenCurve
  readonly epochs: ReadonlyMap<number, EpochValues>
  readonly batches: number | null
  readonly first: Bucket | null
}

/** The curves of a job: one point per epoch, and its batches aggregated into at most `buckets` buckets. */
export async function metricSeries(
  sources: MetricSources,
  job: JobRecord,
  request: CurveRequest,
): Promise<MetricSeries> {
  const jobs = request.lineage ? await lineageOf(sources.repository, job) : [job]
  const to = JSON.stringify([request, jobs.map(({ job_id, last_seq }) => [job_id, last_seq])])
  const given = sources.recent.get(job.job_id).answer
  if (given?.to === to) return given.series
  for (const one of jobs) await rollUpLongCurves(sources, one)
  const series = await readSeries(sources, jobs, { ...request, job_id: job.job_id })
  sources.recent.keep(job.job_id, { answer: { to, series } })
  return series
}

/** @param jobs the requested job, after those that it continues */
function readSeries(
  sources: MetricSources,
  jobs: readonly Asked[],
  { job_id, ...request }: CurveRequest & Pick<Asked, 'job_id'>,
): Promise<MetricSeries> {
  return whileInStep(sources, jobs, async () => {
    const parts: Part[] = []
    for (const one of jobs) parts.push(await partOf(sources, one))
    const begins = parts.map(beginOf)
    const replaced = replacedFrom(begins)
    const buckets = await bucketsOfLine(parts, replaced, request)
    if (request.from === undefined && request.to === undefined)
      for (const { job, curve } of parts) sources.recent.keep(job.job_id, { reads: curve.reads })
    return {
      job_id,
      continued: continuedOf(parts, begins),
      epochs: epochsOfLine(parts, replaced, request),
      batches: batchesOf(buckets, request.series),
    }
  })
}

async function rollUpLongCurves({ levels, rollup }: MetricSources, job: Asked): Promise<void> {
  const { folded_seq } = await levels.find(job.job_id)
  if (job.last_seq - folded_seq > MAX_UNROLLED) await rollup.rollUp(job.job_id)
}

/** Nothing is aggregated for these jobs during `work`. Every caller locks the oldest job first, so that there is no deadlock. */
function whileInStep<Result>(
  sources: MetricSources,
  [first, ...others]: readonly Asked[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (!first) return work()
  return sources.rollup.during(first.job_id, () => whileInStep(sources, others, work))
}

async function partOf(sources: MetricSources, job: Asked): Promise<Part> {
  const curve = await openCurve(sources, job)
  const epochs = await epochsOf(sources, job)
  return {
    job,
    curve,
    epochs,
    batches: await batchesPerEpoch(sources, job),
    first: await firstBucket(curve),
  }
}

/** The first epoch for which a job has values. */
function beginOf({ first, epochs }: Part): number {
  const [ended = Infinity] = epochs.keys()
  return Math.min(ended, first?.first.epoch ?? Infinity)
}

/** One level for the whole line; from each job, the part that no later job replaces. */
async function bucketsOfLine(
  parts: readonly Part[],
  replaced: readonly number[],
  { from, to, buckets }: CurveRequest,
): Promise<Bucket[]> {
  const [low, high] = [from ?? 0, to ?? Infinity]
  const stretches = await Promise.all(
    parts.map(({ curve }, index) => {
      const end = replaced[index] ?? Infinity
      if (from === undefined && to === undefined && end === Infinity) return rangeOfCurve(curve)
      return rangeOfCurve<Place>(curve, {
        begins: ({ last }) => last.step >= low,
        over: ({ first, last }) => first.step > high || last.epoch >= end,
      })
    }),
  )
  const points = stretches.reduce((sum, stretch) => sum + stretch.points, 0)
  const found: Bucket[] = []
  for (const stretch of stretches)
    found.push(...(await bucketsOf(stretch, levelFor(points, buckets, stretch.finest))))
  return mergeBuckets(buckets, found)
}

function epochsOfLine(
  parts: readonly Part[],
  replaced: readonly number[],
  { from = 0, to = Infinity, series }: CurveRequest,
): MetricSeries['epochs'] {
  const line: MetricSeries['epochs'] = []
  for (const [index, { epochs, batches }] of parts.entries())
    for (const { epoch, seconds, metrics } of [...epochs.values()].sort((a, b) => a.epoch - b.epoch)) {
      const step = batches === null ? null : epoch * batches
      if (epoch >= (replaced[index] ?? Infinity)) break
      if (step !== null && (step < from || step > to)) continue
      line.push({ epoch, step, seconds, metrics: named(metrics, series) })
    }
  return line
}

function continuedOf(parts: readonly Part[], begins: readonly number[]): MetricSeries['continued'] {
  return parts.flatMap(({ job, first, batches }, index) => {
    const epoch = (begins[index] ?? Infinity) - 1
    if (job.resumed_from === null || index === 0 || epoch === Infinity) return []
    const step = batches === null ? first && first.first.step - first.first.batch : epoch * batches
    return [{ job_id: job.job_id, resumed_from: job.resumed_from, epoch, step }]
  })
}

function batchesOf(
  buckets: readonly Bucket[],
  names: readonly string[] | undefined,
): MetricSeries['batches'] {
  const known = [...new Set(buckets.flatMap(({ series }) => Object.keys(series)))].sort()
  return {
    step: buckets.map(({ last }) => last.step),
    loss: column(buckets, 'loss', mean),
    loss_min: column(buckets, 'loss', ({ min }) => min),
    loss_max: column(buckets, 'loss', ({ max }) => max),
    learning_rate: column(buckets, 'learning_rate', mean),
    samples_per_second: column(buckets, 'samples_per_second', mean),
    ranges: buckets.map(({ points, first, last }) => ({
      points,
      first: { epoch: first.epoch, batch: first.batch },
      last: { epoch: last.epoch, batch: last.batch },
    })),
    series: columnsOf(buckets, names ? known.filter((name) => names.includes(name)) : known),
  }
}

function named<Value>(
  values: Readonly<Record<string, Value>>,
  names: readonly string[] | undefined,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names || names.includes(name)))
}
