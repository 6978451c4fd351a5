import { MEASURED_RESOURCES, type ResourceSeries } from '@medloom/contracts'
import { columnsOf } from '../metrics/columns.js'
import { bucketsOf, rangeOfCurve } from '../metrics/curve-range.js'
import { type Bucket, levelFor, mergeBuckets } from '../metrics/metric-levels.js'
import type { MeasuredAt, ResourceLevelsRepository } from './resource-levels.repository.js'

export interface ResourceRequest {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly buckets: number
}

/** Resource usage of a job, complete or in a window of steps, in at most `buckets` buckets. */
export async function resourceSeries(
  levels: ResourceLevelsRepository,
  jobId: string,
  { from, to, buckets: count }: ResourceRequest,
): Promise<ResourceSeries> {
  const stored = await levels.find(jobId)
  const read = (level: number, first: number, end: number) => levels.buckets(jobId, level, first, end)
  const bounds = {
    begins: ({ last }: Bucket<MeasuredAt>) => last.step >= (from ?? 0),
    over: ({ first }: Bucket<MeasuredAt>) => first.step > (to ?? Infinity),
  }
  const whole = from === undefined && to === undefined
  const stretch = await rangeOfCurve({ ...stored, read }, whole ? undefined : bounds)
  const found = await bucketsOf(stretch, levelFor(stretch.points, count, stretch.finest))
  const buckets = mergeBuckets(count, found)
  return {
    job_id: jobId,
    at: buckets.map(({ last }) => last.at),
    step: buckets.map(({ last }) => last.step),
    points: buckets.map(({ points }) => points),
    series: columnsOf(buckets, MEASURED_RESOURCES),
    reasons: stored.reasons,
  }
}
