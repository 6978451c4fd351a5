import type { Transaction } from 'kysely'
import type { Connection, Database } from '../../database/database.js'
import type { Tables } from '../../database/schema.js'
import { LevelRows } from './level-rows.repository.js'
import { NO_LEVELS, type OpenLevels, type Place } from './metric-levels.js'

/** Position up to which the progress of a job is part of its levels. */
export interface StoredLevels extends OpenLevels {
  /** Progress up to this seq is aggregated. */
  readonly folded_seq: number
  /** Progress before this seq is deleted. */
  readonly kept_seq: number
}

/** The curves of jobs in buckets of growing size. */
export class MetricLevelsRepository extends LevelRows<Place> {
  constructor(database: Database) {
    super(database, 'metric_levels')
  }

  async find(jobId: string, connection: Connection = this.database): Promise<StoredLevels> {
    const row = await connection
      .selectFrom('metric_curves')
      .select(['folded_seq', 'kept_seq', 'points', 'open'])
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row ? { ...row, open: JSON.parse(row.open) } : { ...NO_LEVELS, folded_seq: 0, kept_seq: 0 }
  }

  async save(
    jobId: string,
    { open, ...levels }: StoredLevels,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    const columns = { ...levels, open: JSON.stringify(open), behind: 0 }
    await transaction
      .insertInto('metric_curves')
      .values({ job_id: jobId, ...columns })
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(columns))
      .execute()
  }

  /** Delete the progress with from <= seq < to. */
  async prune(
    jobId: string,
    { from, to }: { readonly from: number; readonly to: number },
    transaction: Transaction<Tables>,
  ): Promise<void> {
    await transaction
      .deleteFrom('job_events')
      .where('job_id', '=', jobId)
      .where('seq', '>=', from)
      .where('seq', '<', to)
      .where('type', '=', 'progress')
      .execute()
  }

  /** Jobs of an older version whose progress is not yet in levels. */
  async behind(limit: number): Promise<string[]> {
    const rows = await this.database
      .selectFrom('metric_curves')
      .select('job_id')
      .where('behind', '=', 1)
      .limit(limit)
      .execute()
    return rows.map(({ job_id }) => job_id)
  }

  async caughtUp(jobId: string): Promise<void> {
    await this.database.updateTable('metric_curves').set({ behind: 0 }).where('job_id', '=', jobId).execute()
  }
}
