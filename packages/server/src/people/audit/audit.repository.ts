import type { AuditEntry } from '@medloom/contracts'
import type { Connection, Database } from '../../database/database.js'
import { type Page, readPageToken, toPage } from '../../http/pagination.js'

export interface AuditFilter {
  readonly user?: string | undefined
  readonly operation?: string | undefined
  readonly since?: string | undefined
}

/** Entries of the audit log. They are appended, completed once, and removed when they are old; nothing else changes them. */
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /**
   * Called before the work, or in its transaction. Before the work, the commit does not wait for the disk: the later commit of the work on
   * the same database does, and makes earlier writes durable too.
   */
  async append(
    { user, ids, ...entry }: Omit<AuditEntry, 'number'>,
    connection: Connection = this.database.relaxed,
  ): Promise<number> {
    const { number } = await connection
      .insertInto('audit')
      .values({ ...entry, user_name: user, ids: JSON.stringify(ids) })
      .returning('number')
      .executeTakeFirstOrThrow()
    return number
  }

  /** In the transaction of the work, if given. */
  async complete(
    number: number,
    { ids, ...outcome }: Pick<AuditEntry, 'ids' | 'outcome' | 'code'>,
    connection: Connection = this.database.relaxed,
  ): Promise<void> {
    await connection
      .updateTable('audit')
      .set({ ...outcome, ids: JSON.stringify(ids) })
      .where('number', '=', number)
      .where('outcome', 'is', null)
      .execute()
  }

  /** Newest first. */
  async list(
    { user, operation, since }: AuditFilter,
    size: number,
    pageToken: string | undefined,
  ): Promise<Page<AuditEntry>> {
    const before = readPageToken(pageToken)
    let query = this.database
      .selectFrom('audit')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (user !== undefined) query = query.where('user_name', '=', user)
    if (operation !== undefined) query = query.where('operation', '=', operation)
    if (since !== undefined) query = query.where('created_at', '>=', since)
    const page = toPage(await query.execute(), size)
    return {
      ...page,
      items: page.items.map(({ user_name, ids, ...entry }) => ({
        ...entry,
        user: user_name,
        ids: JSON.parse(ids),
      })),
    }
  }

  async removeBefore(time: string): Promise<void> {
    await this.database.deleteFrom('audit').where('created_at', '<', time).execute()
  }
}
