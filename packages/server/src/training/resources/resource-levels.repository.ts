import type { TrainerResources } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Database } from '../../database/database.js'
import type { Tables } from '../../database/schema.js'
import { LevelRows } from '../metrics/level-rows.repository.js'
import { NO_LEVELS, type OpenLevels } from '../metrics/metric-levels.js'

/** Where a measurement lies: the time, and the steps of the training by then. */
export type MeasuredAt = Pick<TrainerResources, 'at' | 'step'>

/** How far what an attempt has measured is part of its levels. */
export interface FoldedResources extends OpenLevels<MeasuredAt> {
  readonly attempt: number
  /** Of the file of that attempt. */
  readonly read_bytes: number
  readonly reasons: TrainerResources['reasons']
}

const NOTHING: FoldedResources = { ...NO_LEVELS, attempt: 0, read_bytes: 0, reasons: {} }

/** What jobs took of their machine, in buckets of growing size. */
export class ResourceLevelsRepository extends LevelRows<MeasuredAt> {
  constructor(database: Database) {
    super(database, 'resource_levels')
  }

  async find(jobId: string): Promise<FoldedResources> {
    const row = await this.database
      .selectFrom('resource_curves')
      .select(['attempt', 'read_bytes', 'points', 'open', 'reasons'])
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row ? { ...row, open: JSON.parse(row.open), reasons: JSON.parse(row.reasons) } : NOTHING
  }

  async save(
    jobId: string,
    { open, reasons, ...folded }: FoldedResources,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    const columns = { ...folded, open: JSON.stringify(open), reasons: JSON.stringify(reasons) }
    await transaction
      .insertInto('resource_curves')
      .values({ job_id: jobId, ...columns })
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(columns))
      .execute()
  }
}
