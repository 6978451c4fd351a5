import type { JobEdit, JobMessage, JobStatus, Metrics } from '@medloom/contracts'
import { sql, type Transaction } from 'kysely'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import type { StoredPaths } from './configuration/stored-paths.js'
import type { JobRecord } from './job-record.js'
import { columnsOf, recordOf, STORED, type StoredJob } from './stored-job.js'

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
  Partial<Pick<JobRecord, 'study_id' | 'study_position' | 'resumed_checkpoint'>>

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

  readonly #recordOf = (row: StoredJob) => recordOf(row, this.paths)

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
    const row = await connection
      .selectFrom('jobs')
      .select(STORED)
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row && this.#recordOf(row)
  }

  async withStatus(...statuses: JobStatus[]): Promise<JobRecord[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select(STORED)
      .where('status', 'in', statuses)
      .orderBy('number')
      .execute()
    return rows.map(this.#recordOf)
  }

  /** Ended jobs whose trainer was not seen to end, or whose report was not written. */
  async withLooseEnds(): Promise<JobRecord[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select(STORED)
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

  /** Jobs that wait; with `upTo` only those that were accepted no later than that number. */
  async countQueued(upTo?: number, connection: Connection = this.database): Promise<number> {
    let query = connection
      .selectFrom('jobs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('status', '=', 'started')
    if (upTo !== undefined) query = query.where('number', '<=', upTo)
    return (await query.executeTakeFirstOrThrow()).count
  }

  /** The numbers of the jobs that wait, the next one first. */
  async queued(): Promise<number[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select('number')
      .where('status', '=', 'started')
      .orderBy('number')
      .execute()
    return rows.map(({ number }) => number)
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
    if (changes.best && result.numUpdatedRows > 0n)
      await this.#keepMetrics(job.job_id, changes.best.metrics, connection)
    return result.numUpdatedRows > 0n
  }

  /** Those of the best epoch, for lists that are sorted by one of them. */
  async #keepMetrics(jobId: string, metrics: Metrics, connection: Connection): Promise<void> {
    const { number } = await connection
      .selectFrom('jobs')
      .select('number')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    const rows = Object.entries(metrics).flatMap(([metric, value]) =>
      value === null ? [] : [{ number, metric, value }],
    )
    await connection.deleteFrom('job_best_metrics').where('number', '=', number).execute()
    if (rows.length > 0) await connection.insertInto('job_best_metrics').values(rows).execute()
  }

  /** What people write on a job, whatever its state. */
  async edit(jobId: string, { tags, pinned, archived, ...texts }: JobEdit): Promise<void> {
    await this.database
      .updateTable('jobs')
      .set({
        // An edit may be empty, and an update cannot.
        job_id: jobId,
        ...texts,
        ...(tags && { tags: JSON.stringify(tags) }),
        ...(pinned !== undefined && { pinned: Number(pinned) }),
        ...(archived !== undefined && { archived: Number(archived) }),
      })
      .where('job_id', '=', jobId)
      .execute()
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
