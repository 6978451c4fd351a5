import type { Transaction } from 'kysely'
import { batches } from '../../database/batches.js'
import type { Connection, Database } from '../../database/database.js'
import type { Tables } from '../../database/schema.js'
import type { Bucket, CompleteBucket } from './metric-levels.js'

/** The complete buckets of curves, in a separate table for each kind of curve. */
export abstract class LevelRows<At> {
  /** Both tables have the same columns. */
  readonly #table: 'metric_levels'

  constructor(
    protected readonly database: Database,
    table: 'metric_levels' | 'resource_levels',
  ) {
    this.#table = table as 'metric_levels'
  }

  /** For reads before such a transaction: they wait for no transaction. */
  get reading(): Connection {
    return this.database.reading
  }

  /**
   * For writes that can be recomputed from data whose read position or deletion is stored in the same transaction: either both are lost or
   * neither is.
   */
  inBackground<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.database.inSharedBackground(work, { isRelaxed: true })
  }

  async add(
    jobId: string,
    complete: readonly CompleteBucket<At>[],
    transaction: Transaction<Tables>,
  ): Promise<void> {
    for await (const some of batches(complete)) {
      const rows = some.map(({ level, index, bucket }) => ({
        job_id: jobId,
        level,
        bucket: index,
        content: JSON.stringify(bucket),
      }))
      await transaction.insertInto(this.#table).values(rows).execute()
    }
  }

  /** Delete levels that are finer than `level`. */
  async dropBelow(jobId: string, level: number, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom(this.#table).where('job_id', '=', jobId).where('level', '<', level).execute()
  }

  /** The complete buckets of a level with from <= index < to, in order. */
  async buckets(jobId: string, level: number, from: number, to: number): Promise<Bucket<At>[]> {
    const rows = await this.database
      .selectFrom(this.#table)
      .select('content')
      .where('job_id', '=', jobId)
      .where('level', '=', level)
      .where('bucket', '>=', from)
      .where('bucket', '<', to)
      .orderBy('bucket')
      .execute()
    return rows.map(({ content }) => JSON.parse(content))
  }
}
