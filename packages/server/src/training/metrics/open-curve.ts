import { pages } from '../events/replay.js'
import { type Bucket, bucketOf, FACTOR, foldBuckets, type Place } from './metric-levels.js'
import type { MetricSources } from './metric-sources.js'
import type { Curve } from './stretch.js'

/** The curve of a job, and what was read of it so far. */
export interface OpenCurve extends Curve<Place> {
  readonly reads: ReadonlyMap<string, readonly Bucket[]>
}

/** What is folded from its levels, the rest from its messages. Both stay in step as long as nothing is folded meanwhile. */
export async function openCurve(
  { repository, levels, recent }: MetricSources,
  { job_id, last_seq }: { readonly job_id: string; readonly last_seq: number },
): Promise<OpenCurve> {
  const stored = await levels.find(job_id)
  const sent: Bucket[] = []
  const range = { since: stored.folded_seq, upTo: last_seq, only: 'progress' as const }
  for await (const page of pages(repository, job_id, range))
    for (const { message } of page) sent.push(bucketOf(JSON.parse(message)))
  const { complete, ...all } = foldBuckets(stored, sent)
  const known = recent.get(job_id).reads
  const reads = new Map<string, readonly Bucket[]>()

  async function readStored(level: number, from: number, to: number): Promise<readonly Bucket[]> {
    if (from >= to) return []
    const key = `${level}/${from}/${to}`
    const buckets = known.get(key) ?? (await levels.buckets(job_id, level, from, to))
    reads.set(key, buckets)
    return buckets
  }

  return {
    ...all,
    reads,
    async read(level, from, to) {
      const count = Math.floor(stored.points / FACTOR ** level)
      const later = complete.filter(
        (added) => added.level === level && added.index >= from && added.index < to,
      )
      return [...(await readStored(level, from, Math.min(to, count))), ...later.map(({ bucket }) => bucket)]
    },
  }
}
