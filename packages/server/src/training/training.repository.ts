import type { JobEdit, JobMessage, JobStatus, Metrics } from '@medloom/contracts'
import { type Compilable, type ExpressionBuilder, sql, type Transaction } from 'kysely'
import { BATCH_ROWS, batches } from '../database/batches.js'
import { CompiledQueries } from '../database/compiled-queries.js'
import type { Connection, Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { settleAll } from '../database/settle-all.js'
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
  Partial<Pick<JobRecord, 'study_id' | 'study_position' | 'resumed_checkpoint' | 'owner'>>

/** A message as it was sent. */
export interface StoredMessage {
  seq: number
  type: string
  message: string
}

/** Position up to which the events of a job are stored, and its pending request. */
export type ReadingPlace = Pick<
  JobRecord,
  'job_id' | 'status' | 'attempt' | 'events_offset' | 'last_seq' | 'request'
>

/** The jobs and their messages in the database. */
export class TrainingRepository {
  readonly #queries: CompiledQueries

  constructor(
    readonly database: Database,
    readonly paths: StoredPaths,
  ) {
    this.#queries = new CompiledQueries(database)
  }

  readonly #recordOf = (row: StoredJob) => recordOf(row, this.paths)

  transaction<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.transaction().execute(work)
  }

  inBackground<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.inBackground(work)
  }

  /** For changes that are made only if the job is still as the caller knows it. */
  inSharedBackground<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.inSharedBackground(work)
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

  /** Reading places of those of these jobs that exist. */
  async readingPlaces(
    jobIds: readonly string[],
    connection: Connection,
  ): Promise<ReadonlyMap<string, ReadingPlace>> {
    const places = new Map<string, ReadingPlace>()
    for await (const some of batches(jobIds)) {
      const rows = await connection
        .selectFrom('jobs')
        .select(['job_id', 'status', 'attempt', 'events_offset', 'last_seq', 'request'])
        .where('job_id', 'in', some)
        .execute()
      for (const row of rows) places.set(row.job_id, row as ReadingPlace)
    }
    return places
  }

  /** Unfinished jobs for which a trainer may exist. */
  async submitted(): Promise<JobRecord[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select(STORED)
      .where((job) =>
        job.or([
          job('status', '=', 'running'),
          job.and([job('status', '=', 'started'), job('handle', 'is not', null)]),
        ]),
      )
      .orderBy('number')
      .execute()
    return rows.map(this.#recordOf)
  }

  /** Waiting jobs without a trainer, the next one first, page by page: the records of a long queue take many megabytes. */
  async *neverSubmitted(): AsyncGenerator<JobRecord[]> {
    for (let after = 0; ; ) {
      const rows = await this.database
        .selectFrom('jobs')
        .select(STORED)
        .where('status', '=', 'started')
        .where('handle', 'is', null)
        .where('number', '>', after)
        .orderBy('number')
        .limit(BATCH_ROWS)
        .execute()
      if (rows.length > 0) yield rows.map(this.#recordOf)
      if (rows.length < BATCH_ROWS) return
      after = rows.at(-1)?.number ?? after
    }
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

  /** The number of waiting jobs. */
  async countQueued(connection: Connection = this.database): Promise<number> {
    const { count } = await connection
      .selectFrom('jobs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('status', '=', 'started')
      .executeTakeFirstOrThrow()
    return count
  }

  /**
   * Returns true if `most` jobs wait, in one query. Counting a long queue takes milliseconds, so jobs are not counted if the range of their
   * numbers already shows that there is room.
   */
  async isQueueFull(most: number, connection: Connection = this.database): Promise<boolean> {
    const waiting = sql`FROM jobs WHERE status = 'started'`
    const span = sql`(SELECT max(number) FROM jobs) - (SELECT min(number) ${waiting}) + 1`
    const { rows } = await sql<{ count: number }>`
      SELECT CASE WHEN ${span} < ${most} THEN 0 ELSE (SELECT count(*) ${waiting}) END AS count
    `.execute(connection)
    return Number(rows[0]?.count) >= most
  }

  /** The committed job with its position in the queue, starting at 1; null: it is not waiting. */
  async findCommitted(
    jobId: string,
  ): Promise<{ readonly job: JobRecord; readonly position: number | null } | undefined> {
    const { rows } = await this.#queries.execute<Committed>(
      this.database.reading,
      'committed',
      [jobId],
      (connection, slot) => committedQuery(connection, slot(0)),
    )
    if (!rows[0]) return undefined
    const { position, ...job } = rows[0]
    return { job: this.#recordOf(job), position }
  }

  /** The numbers of the waiting jobs, the next one first. */
  async queued(): Promise<number[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select('number')
      .where('status', '=', 'started')
      .orderBy('number')
      .execute()
    return rows.map(({ number }) => number)
  }

  /** The waiting jobs with a greater number, the next one first. */
  waitingAfter(number: number): Promise<Pick<JobRecord, 'number' | 'job_id'>[]> {
    return this.database
      .selectFrom('jobs')
      .select(['number', 'job_id'])
      .where('status', '=', 'started')
      .where('number', '>', number)
      .orderBy('number')
      .execute()
  }

  async countByStatus(): Promise<Map<JobStatus, number>> {
    const rows = await this.database
      .selectFrom('jobs')
      .select((select) => ['status', select.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute()
    return new Map(rows.map(({ status, count }) => [status as JobStatus, count]))
  }

  /** Removes its messages and curves too. */
  async remove(jobId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('job_events').where('job_id', '=', jobId).execute()
    await transaction.deleteFrom('jobs').where('job_id', '=', jobId).execute()
  }

  /**
   * Change a job that still has the status `from`.
   * @returns false when it has another status by now; then nothing is changed.
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

  /**
   * Change a job if its stored events still end where `job` states.
   * @returns its pending request; undefined when the stored job differs, and then nothing is changed.
   */
  async advance(
    job: ReadingPlace & Pick<JobRecord, 'number'>,
    changes: Partial<JobRecord>,
    transaction: Transaction<Tables>,
  ): Promise<Pick<JobRecord, 'request'> | undefined> {
    const advancing = this.#advance(job, changes, transaction)
    if (changes.best)
      await settleAll([advancing, this.#writeMetrics(job.number, changes.best.metrics, transaction)])
    return advancing
  }

  async #advance(
    { job_id, status, attempt, events_offset, last_seq }: ReadingPlace,
    changes: Partial<JobRecord>,
    transaction: Transaction<Tables>,
  ): Promise<Pick<JobRecord, 'request'> | undefined> {
    const columns = Object.entries(columnsOf(changes, this.paths)).filter(([, value]) => value !== undefined)
    const names = columns.map(([name]) => name)
    const place = Object.entries({ job_id, status, attempt, events_offset, last_seq })
    this.database.written.notify('jobs', job_id)
    const { rows } = await this.#queries.execute<Pick<JobRecord, 'request'>>(
      transaction,
      `advance ${names}`,
      [...columns, ...place].map(([, value]) => value),
      (connection, slot) => {
        const set = Object.fromEntries(names.map((name, index) => [name, slot(index)]))
        let query = connection.updateTable('jobs').set(set)
        for (const [index, [name]] of place.entries())
          query = query.where(name as keyof ReadingPlace, '=', slot(names.length + index))
        return query.returning('request') as Compilable<Pick<JobRecord, 'request'>>
      },
    )
    return rows[0]
  }

  /** Metrics of the best epoch, for lists that are sorted by one of them. */
  async #keepMetrics(jobId: string, metrics: Metrics, connection: Connection): Promise<void> {
    const { number } = await connection
      .selectFrom('jobs')
      .select('number')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    await this.#writeMetrics(number, metrics, connection)
  }

  async #writeMetrics(number: number, metrics: Metrics, connection: Connection): Promise<void> {
    const rows = Object.entries(metrics).flatMap(([metric, value]) =>
      value === null ? [] : [{ number, metric, value }],
    )
    await settleAll([
      connection.deleteFrom('job_best_metrics').where('number', '=', number).execute(),
      ...(rows.length > 0 ? [connection.insertInto('job_best_metrics').values(rows).execute()] : []),
    ])
  }

  /** Change tags, note and other user edits of a job, whatever its state. */
  async edit(jobId: string, { tags, pinned, archived, ...texts }: JobEdit): Promise<void> {
    await this.database
      .updateTable('jobs')
      .set({
        // An edit may be empty, but an update must set a column.
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
      const values = some.flatMap((message) => {
        const { job_id, seq, type } = message
        return [job_id, seq, type, JSON.stringify(message)]
      })
      await this.#queries.execute(connection, `append ${some.length}`, values, (on, slot) => {
        const row = (_: unknown, index: number) => ({
          job_id: slot(4 * index),
          seq: slot(4 * index + 1),
          type: slot(4 * index + 2),
          message: slot(4 * index + 3),
        })
        return on.insertInto('job_events').values(some.map(row))
      })
    }
  }

  /** Messages with since < seq <= upTo, in order, as they were sent. "kept" excludes progress. */
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
    // Written as SQL, since a partial index is used only for a condition without parameters.
    if (only === 'kept') query = query.where(sql<boolean>`type <> 'progress'`)
    if (only === 'progress') query = query.where('type', '=', 'progress')
    return query.execute()
  }

  /** seq of the newest message; 0 without one. */
  async lastSeq(jobId: string, connection: Connection = this.database): Promise<number> {
    const row = await connection
      .selectFrom('jobs')
      .select('last_seq')
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row?.last_seq ?? 0
  }

  /** seq of the newest committed message of each job. */
  async lastSeqs(jobIds: readonly string[]): Promise<[jobId: string, seq: number][]> {
    const rows = await this.database.reading
      .selectFrom('jobs')
      .select(['job_id', 'last_seq'])
      .where('job_id', 'in', [...jobIds])
      .execute()
    return rows.map(({ job_id, last_seq }) => [job_id, last_seq])
  }

  /**
   * The next committed messages of several jobs, each after its seq, in the order of each job. One subquery per job in a single statement:
   * with one query for all jobs, PostgreSQL reads the whole table.
   * @param limit maximum number of messages per job
   * @returns for each job, a JSON array of messages as text
   */
  async messagesAfter(
    after: readonly (readonly [jobId: string, seq: number])[],
    limit: number,
  ): Promise<[jobId: string, messages: string][]> {
    const places = sql.join(after.map(([jobId, seq]) => sql`(${jobId}, CAST(${seq} AS BIGINT))`))
    const { rows } = await sql<{ job_id: string; messages: string | null }>`
      SELECT column1 AS job_id, (
        SELECT string_agg(message, ',' ORDER BY seq) FROM (
          SELECT seq, message FROM job_events WHERE job_id = column1 AND seq > column2 ORDER BY seq LIMIT ${limit}
        ) AS next
      ) AS messages FROM (VALUES ${places}) AS places`.execute(this.database.reading)
    return rows.map(({ job_id, messages }) => [job_id, `[${messages ?? ''}]`])
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

type Committed = StoredJob & { readonly position: number | null }

function committedQuery(database: Connection, jobId: string) {
  const waiting = (jobs: ExpressionBuilder<Tables, 'jobs'>) =>
    jobs
      .selectFrom('jobs as others')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('others.status', '=', 'started')
      .whereRef('others.number', '<=', 'jobs.number')
  return database
    .selectFrom('jobs')
    .select(STORED)
    .select((select) =>
      select.case().when('status', '=', 'started').then(waiting(select)).else(null).end().as('position'),
    )
    .where('job_id', '=', jobId)
}
