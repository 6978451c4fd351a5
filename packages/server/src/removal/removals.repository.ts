import type { Connection, Database } from '../database/database.js'

/** Folders that are to be deleted: their rows are already removed. */
export class RemovalsRepository {
  constructor(private readonly database: Database) {}

  async add(paths: readonly string[], connection: Connection): Promise<void> {
    if (paths.length === 0) return
    await connection
      .insertInto('pending_removals')
      .values(paths.map((path) => ({ path })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async pending(): Promise<string[]> {
    const rows = await this.database.selectFrom('pending_removals').select('path').execute()
    return rows.map(({ path }) => path)
  }

  async done(path: string): Promise<void> {
    await this.database.deleteFrom('pending_removals').where('path', '=', path).execute()
  }
}
