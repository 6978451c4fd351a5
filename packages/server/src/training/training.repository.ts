import {
  type Job,
  type JobMessage,
  type JobStatus,
  type TrainingConfig,
  withWhatWasDone,
} from '@medloom/contracts'
import { type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import { parsed } from '../database/parsed.js'
import type { JobRow, Tables } from '../database/schema.js'
import type { StoredPaths } from './configuration/stored-paths.js'
import type { JobRecord } from './job-record.js'

export type NewJob = Pick<
  JobRecord,
  | 'job_id'
  | 'job_name'
  | 'config'
  | 'total_epochs'
  | 'epoch'
  | 'resumed_from'
  | 'fine_tuned_from'
  | 'created_at'
> &
  Partial<Pick<JobRecord, 'study_id' | 'study_position'>>

/** A message as it was sent. */
export interface StoredMessage {
  seq: number
  type: string
  message: string
}

/** The jobs and their messages in the database. */
export class TrainingRepository {
  constructor(
    readonly database: Database,
    readonly paths: StoredPaths,
  ) {}

  readonly #recordOf = (row: Selectable<JobRow>) => recordOf(row, this.paths)

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  async insert(job: NewJob, connection: Connection = this.database): Promise<void> {
    await connection
      .insertInto('jobs')
      .values({
        ...job,
        config: JSON.stringify(this.paths.toStored(job.config)),
        fine_tuned_from: job.fine_tuned_from && JSON.stringify(job.fine_tuned_from),
        status: 'started',
        phase: 'queued',
        metrics: JSON.stringify({ train_loss: null, val_loss: null, val_accuracy: null, val_auc: null }),
        notes: '{}',
        attempt: 0,
        events_offset: 0,
        last_seq: 0,
      })
      .execute()
  }

  async find(jobId: string, connection: Connection = this.database): Promise<JobRecord | undefined> {
    const row = await connection.selectFrom('jobs').selectAll().where('job_id', '=', jobId).executeTakeFirst()
    return row && this.#recordOf(row)
  }

  async withStatus(...statuses: JobStatus[]): Promise<JobRecord[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .selectAll()
      .where('status', 'in', statuses)
      .orderBy('number')
      .execute()
    return rows.map(this.#recordOf)
  }

  /** Ended jobs whose trainer was not seen to end, or whose report was not written. */
  async withLooseEnds(): Promise<JobRecord[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .selectAll()
      .where('ended_at', 'is not', null)
      .where((where) =>
        where.or([
          where('handle', 'is not', null),
          where.and([where('report_path', 'is', null), where('model_id', 'is not', null)]),
        ]),
      )
      .execute()
    return rows.map(this.#recordOf)
  }

  /** Newest first, without the documents of the jobs; `before` is the number of the last job of the page before. */
  async page(size: number, before: number | null, status?: JobStatus): Promise<JobSummaryRecord[]> {
    let query = this.database.selectFrom('jobs').select(SUMMARY).orderBy('number', 'desc').limit(size)
    if (before !== null) query = query.where('number', '<', before)
    if (status) query = query.where('status', '=', status)
    return (await query.execute()).map(summaryOf)
  }

  /** Jobs that wait; with `upTo` only those that were accepted no later than that number. */
  async countQueued(upTo?: number, connection: Connection = this.database): Promise<number> {
    let query = connection
      .selectFrom('jobs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('status', '=', 'started')
    if (upTo !== undefined) query = query.where('number', '<=', upTo)
    return (await query.executeTakeFirstOrThrow()).count
  }

  async countByStatus(): Promise<Map<JobStatus, number>> {
    const rows = await this.database
      .selectFrom('jobs')
      .select((select) => ['status', select.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute()
    return new Map(rows.map(({ status, count }) => [status as JobStatus, count]))
  }

  /** With its messages and curves. */
  async remove(jobId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('job_events').where('job_id', '=', jobId).execute()
    await transaction.deleteFrom('jobs').where('job_id', '=', jobId).execute()
  }

  /**
   * Change a job that still has the status `from`.
   * @returns false when it has another by now; nothing is changed then.
   */
  async update(
    job: { job_id: string; status: JobStatus },
    changes: Partial<JobRecord>,
    connection: Connection = this.database,
  ): Promise<boolean> {
    const result = await connection
      .updateTable('jobs')
      .set(columnsOf(changes, this.paths))
      .where('job_id', '=', job.job_id)
      .where('status', '=', job.status)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  async append(messages: readonly JobMessage[], connection: Connection = this.database): Promise<void> {
    for await (const some of batches(messages)) {
      const rows = some.map((message) => {
        const { job_id, seq, type } = message
        return { job_id, seq, type, message: JSON.stringify(message) }
      })
      await connection.insertInto('job_events').values(rows).execute()
    }
  }

  /** Messages with since < seq <= upTo, in order, as they were sent. "kept" leaves progress out. */
  messages(
    jobId: string,
    { since, upTo, limit, only }: { since: number; upTo?: number; limit: number; only?: 'kept' | 'progress' },
    connection: Connection = this.database,
  ): Promise<StoredMessage[]> {
    let query = connection
      .selectFrom('job_events')
      .select(['seq', 'type', 'message'])
      .where('job_id', '=', jobId)
      .where('seq', '>', since)
      .orderBy('seq')
      .limit(limit)
    if (upTo !== undefined) query = query.where('seq', '<=', upTo)
    // Written out, since a partial index serves only a condition that it can see.
    if (only === 'kept') query = query.where(sql<boolean>`type <> 'progress'`)
    if (only === 'progress') query = query.where('type', '=', 'progress')
    return query.execute()
  }

  /** Of the newest message; 0 without one. */
  async lastSeq(jobId: string, connection: Connection = this.database): Promise<number> {
    const row = await connection
      .selectFrom('jobs')
      .select('last_seq')
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row?.last_seq ?? 0
  }

  async newestProgress(
    jobId: string,
    upTo: number,
    connection: Connection = this.database,
  ): Promise<StoredMessage | undefined> {
    return connection
      .selectFrom('job_events')
      .select(['seq', 'type', 'message'])
      .where('job_id', '=', jobId)
      .where('type', '=', 'progress')
      .where('seq', '<=', upTo)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
  }
}

/** What a list of jobs reads. */
const SUMMARY = [
  'number',
  'job_id',
  'job_name',
  'status',
  'phase',
  'reason',
  'stalled',
  'error',
  'metrics',
  'best',
  'baseline_verdict',
  'epoch',
  'total_epochs',
  'eta_seconds',
  'attempt',
  'request',
  'resumed_from',
  'fine_tuned_from',
  'study_id',
  'model_id',
  'report_path',
  'created_at',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof JobRow)[]

export type JobSummaryRecord = Pick<JobRecord, (typeof SUMMARY)[number]>

function summaryOf(row: Pick<Selectable<JobRow>, (typeof SUMMARY)[number]>): JobSummaryRecord {
  return {
    ...row,
    status: row.status as JobStatus,
    phase: row.phase as Job['phase'],
    request: row.request as JobRecord['request'],
    metrics: JSON.parse(row.metrics),
    error: parsed(row.error),
    best: parsed(row.best),
    baseline_verdict: parsed(row.baseline_verdict),
    stalled: parsed(row.stalled),
    fine_tuned_from: parsed(row.fine_tuned_from),
  }
}

function recordOf({ ensemble, ...row }: Selectable<JobRow>, paths: StoredPaths): JobRecord {
  return {
    ...row,
    ...(ensemble === null ? {} : { ensemble: JSON.parse(ensemble) }),
    status: row.status as JobStatus,
    phase: row.phase as Job['phase'],
    request: row.request as JobRecord['request'],
    config: withWhatWasDone(paths.fromStored(JSON.parse(row.config))) as TrainingConfig,
    metrics: JSON.parse(row.metrics),
    notes: JSON.parse(row.notes),
    error: parsed(row.error),
    prepared: parsed(row.prepared),
    best: parsed(row.best),
    baseline_verdict: parsed(row.baseline_verdict),
    handle: parsed(row.handle),
    places: parsed(row.places),
    stalled: parsed(row.stalled),
    fine_tuned_from: parsed(row.fine_tuned_from),
  }
}

const DOCUMENTS = [
  'config',
  'metrics',
  'notes',
  'error',
  'prepared',
  'best',
  'baseline_verdict',
  'handle',
  'places',
  'stalled',
  'fine_tuned_from',
  'ensemble',
] as const

function columnsOf(changes: Partial<JobRecord>, paths: StoredPaths): Updateable<JobRow> {
  const columns: Record<string, unknown> = { ...changes }
  if (changes.config) columns.config = paths.toStored(changes.config)
  for (const name of DOCUMENTS)
    if (columns[name] !== undefined && columns[name] !== null) columns[name] = JSON.stringify(columns[name])
  return columns as Updateable<JobRow>
}
