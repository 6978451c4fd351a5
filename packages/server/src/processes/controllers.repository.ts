import type { QueuePause } from '@medloom/contracts'
import type { Database } from '../database/database.js'
import { parsed } from '../database/parsed.js'

/** The process that schedules jobs, stores events, runs workflows and removes data. */
export interface Controller {
  /** Increases with each controller. */
  readonly fence: number
  /** Address for other processes. */
  readonly address: string
  /** Key with which other processes sign their requests. */
  readonly internalKey: string
  /** Id of its data folder. */
  readonly folder: string
  /** Reason why it starts no job at the moment. */
  readonly pause: QueuePause | null
}

/** The recent controllers; the newest is the current one. */
export class ControllersRepository {
  constructor(private readonly database: Database) {}

  /** Register a new controller, whose address is not known yet. @returns its fence */
  async begin({ internalKey, folder }: Pick<Controller, 'internalKey' | 'folder'>): Promise<number> {
    return this.database.transaction().execute(async (transaction) => {
      const started_at = new Date().toISOString()
      const { fence } = await transaction
        .insertInto('controllers')
        .values({ internal_key: internalKey, folder, started_at })
        .returning('fence')
        .executeTakeFirstOrThrow()
      await transaction.deleteFrom('controllers').where('fence', '<', fence).execute()
      return fence
    })
  }

  async announce(fence: number, address: string): Promise<void> {
    await this.database.updateTable('controllers').set({ address }).where('fence', '=', fence).execute()
  }

  async reportPause(fence: number, pause: QueuePause | null): Promise<void> {
    const text = pause && JSON.stringify(pause)
    await this.database.updateTable('controllers').set({ pause: text }).where('fence', '=', fence).execute()
  }

  /** @returns true if it is the newest. Runs on the connection that holds its lock: both are lost together. */
  async confirm(fence: number): Promise<boolean> {
    return this.database.withoutWaiting(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('controllers')
        .set(({ eb }) => ({ beats: eb('beats', '+', 1) }))
        .where('fence', '=', fence)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    })
  }

  /** Changes while the newest controller works. */
  async beats(): Promise<string> {
    const row = await this.database
      .selectFrom('controllers')
      .select(['fence', 'beats'])
      .orderBy('fence', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row ? `${row.fence} ${row.beats}` : ''
  }

  /** The controller ends by itself; the next one need not wait. */
  async end(fence: number): Promise<void> {
    await this.database.updateTable('controllers').set({ address: null }).where('fence', '=', fence).execute()
  }

  /** The data folder of the newest controller; null: there was none. */
  async folder(): Promise<string | null> {
    const row = await this.database
      .selectFrom('controllers')
      .select('folder')
      .orderBy('fence', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.folder ?? null
  }

  /** Returns true if the database describes no run, study or workflow. */
  async describesNothing(): Promise<boolean> {
    for (const table of ['jobs', 'studies', 'workflows'] as const) {
      const row = await this.database.selectFrom(table).select('created_at').limit(1).executeTakeFirst()
      if (row) return false
    }
    return true
  }

  /** Null: there is none, or it is still starting. */
  async current(): Promise<Controller | null> {
    const row = await this.database
      .selectFrom('controllers')
      .select(['fence', 'address', 'internal_key', 'folder', 'pause'])
      .orderBy('fence', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!row || row.address === null) return null
    const { fence, address, internal_key: internalKey, folder } = row
    return { fence, address, internalKey, folder, pause: parsed<QueuePause>(row.pause) }
  }
}
