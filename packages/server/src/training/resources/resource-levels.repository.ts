import type { TrainerResources } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Database } from '../../database/database.js'
import { GroupCommit, isOfTheMachine } from '../../database/group-commit.js'
import type { Tables } from '../../database/schema.js'
import { settleAll } from '../../database/settle-all.js'
import { LevelRows } from '../metrics/level-rows.repository.js'
import { type CompleteBucket, NO_LEVELS, type OpenLevels } from '../metrics/metric-levels.js'

/** Position of a measurement: the time, and the steps of the training by then. */
export type MeasuredAt = Pick<TrainerResources, 'at' | 'step'>

/** Position up to which the measurements of an attempt are part of its levels. */
export interface StoredResources extends OpenLevels<MeasuredAt> {
  readonly attempt: number
  /** Bytes read from the file of that attempt. */
  readonly read_bytes: number
  readonly reasons: TrainerResources['reasons']
}

const NOTHING: StoredResources = { ...NO_LEVELS, attempt: 0, read_bytes: 0, reasons: {} }

/** Changes from one read of the measurements of a job. */
export interface ResourceChange {
  readonly jobId: string
  readonly complete: readonly CompleteBucket<MeasuredAt>[]
  /** Levels below this one are removed; null: none are. */
  readonly outgrown: number | null
  readonly stored: StoredResources
}

/** Resource usage of jobs, in buckets of growing size. */
export class ResourceLevelsRepository extends LevelRows<MeasuredAt> {
  /** With a thousand trainings, fifty are processed per second. */
  readonly #groups = new GroupCommit<ResourceChange, undefined>({
    store: (changes) => this.#storeAll(changes),
    keyOf: ({ jobId }) => jobId,
    sizeOf: () => 1,
    failsAll: isOfTheMachine,
  })

  constructor(database: Database) {
    super(database, 'resource_levels')
  }

  async find(jobId: string): Promise<StoredResources> {
    const row = await this.database
      .selectFrom('resource_curves')
      .select(['attempt', 'read_bytes', 'points', 'open', 'reasons'])
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row ? { ...row, open: JSON.parse(row.open), reasons: JSON.parse(row.reasons) } : NOTHING
  }

  /** One transaction, shared with other waiting changes: the change is stored completely or not at all. */
  async store(change: ResourceChange): Promise<void> {
    await this.#groups.add(change)
  }

  #storeAll(changes: readonly ResourceChange[]): Promise<undefined[]> {
    return this.inBackground(async (transaction) => {
      await settleAll(
        changes.flatMap(({ jobId, complete, outgrown, stored }) => [
          this.add(jobId, complete, transaction),
          ...(outgrown === null ? [] : [this.dropBelow(jobId, outgrown, transaction)]),
          this.#save(jobId, stored, transaction),
        ]),
      )
      return changes.map(() => undefined)
    })
  }

  async #save(
    jobId: string,
    { open, reasons, ...stored }: StoredResources,
    transaction: Transaction<Tables>,
  ): Promise<void> {
    const columns = { ...stored, open: JSON.stringify(open), reasons: JSON.stringify(reasons) }
    await transaction
      .insertInto('resource_curves')
      .values({ job_id: jobId, ...columns })
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet(columns))
      .execute()
  }
}
