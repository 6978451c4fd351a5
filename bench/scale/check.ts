import type { Database } from '../../packages/server/src/database/database.js'
import { numberIn } from './lines.js'
import type { SeededTrainer } from './seed.js'

export interface Stored {
  readonly events: number
  /** One line per fault. */
  readonly faults: readonly string[]
}

const MOST_FAULTS = 5

/**
 * Checks that every written event is in the database exactly once and in order: as a message whose seq identifies the event or, if the curve
 * of a job was rolled up, as a point of its levels.
 */
export async function checkEvents(
  database: Database,
  trainers: readonly SeededTrainer[],
  written: Readonly<Record<string, number>>,
): Promise<Stored> {
  const faults: string[] = []
  let events = 0
  for (const trainer of trainers) {
    const count = written[trainer.id]
    if (count === undefined) continue
    const fault = await faultOf(database, trainer, count)
    if (fault) faults.push(`${trainer.jobId}: ${fault}`)
    events += count
  }
  return { events, faults: faults.slice(0, MOST_FAULTS) }
}

async function faultOf(
  database: Database,
  { jobId, history }: SeededTrainer,
  written: number,
): Promise<string | null> {
  const { last_seq } = await database
    .selectFrom('jobs')
    .select('last_seq')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  if (last_seq !== history + written)
    return `the last seq is ${last_seq}, and ${history} + ${written} were written`
  const folded = await database
    .selectFrom('metric_curves')
    .select(['points', 'folded_seq', 'kept_seq'])
    .where('job_id', '=', jobId)
    .executeTakeFirst()
  const rows = await database
    .selectFrom('job_events')
    .select(['seq', 'type', 'message'])
    .where('job_id', '=', jobId)
    .orderBy('seq')
    .execute()
  const foldedSeq = folded?.folded_seq ?? 0
  let progress = folded?.points ?? 0
  let others = 0
  let next = foldedSeq + 1
  for (const { seq, type, message } of rows) {
    if (type !== 'progress') others += 1
    else if (seq > foldedSeq) progress += 1
    if (seq > foldedSeq && seq !== next++) return `after ${next - 2} comes ${seq}`
    if (seq > history && numberIn(JSON.parse(message)) !== seq - history)
      return `message ${seq} is of another event: ${message}`
  }
  return progress + others === last_seq ? null : `${progress} of progress and ${others} others of ${last_seq}`
}

/** Number of stored events of the running jobs. */
export async function storedEvents(database: Database, trainers: readonly SeededTrainer[]): Promise<number> {
  const histories = new Map(trainers.map(({ jobId, history }) => [jobId, history]))
  const rows = await database
    .selectFrom('jobs')
    .select(['job_id', 'last_seq'])
    .where('status', '=', 'running')
    .execute()
  return rows.reduce((sum, { job_id, last_seq }) => sum + last_seq - (histories.get(job_id) ?? 0), 0)
}
