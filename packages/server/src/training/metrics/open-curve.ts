import { pages } from '../events/replay.js'
import type { Curve } from './curve-range.js'
import { addBuckets, type Bucket, bucketOf, FACTOR, type Place } from './metric-levels.js'
import type { StoredLevels } from './metric-levels.repository.js'
import type { MetricSources } from './metric-sources.js'
import type { SentPoints } from './recent-curves.js'

interface Read {
  readonly job_id: string
  readonly last_seq: number
}

/** The curve of a job, and the buckets that were read so far. */
export interface OpenCurve extends Curve<Place> {
  readonly reads: ReadonlyMap<string, readonly Bucket[]>
}

/** Aggregated points come from the levels, the others from the messages. Both are consistent as long as nothing is aggregated meanwhile. */
export async function openCurve(sources: MetricSources, job: Read): Promise<OpenCurve> {
  const { levels, recent } = sources
  const { job_id } = job
  const stored = await levels.find(job_id)
  const { levels: all, complete } = await sentPoints(sources, job, stored)
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

/** Points sent since the levels were stored: for a curve that was read before, only new ones are read. */
async function sentPoints(
  { repository, recent }: MetricSources,
  { job_id, last_seq }: Read,
  { folded_seq, points, open }: StoredLevels,
): Promise<SentPoints> {
  const { sent } = recent.get(job_id)
  const known =
    sent?.since === folded_seq && sent.upTo <= last_seq
      ? sent
      : { since: folded_seq, upTo: folded_seq, levels: { points, open }, complete: [] }
  if (known.upTo >= last_seq) return known
  const added: Bucket[] = []
  const range = { since: known.upTo, upTo: last_seq, only: 'progress' as const }
  for await (const page of pages(repository, job_id, range))
    for (const { message } of page) added.push(bucketOf(JSON.parse(message)))
  const { complete, ...levels } = addBuckets(known.levels, added)
  const read = { since: folded_seq, upTo: last_seq, levels, complete: [...known.complete, ...complete] }
  recent.keep(job_id, { sent: read })
  return read
}
