import type { Database } from '../../database/database.js'

/** What was written below the output folder: the digests by path. More than one: a write was cut off, and either may be there. */
export class WrittenFilesRepository {
  constructor(private readonly database: Database) {}

  async has(path: string, sha256: string): Promise<boolean> {
    const found = await this.database
      .selectFrom('written_files')
      .select('path')
      .where('path', '=', path)
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return found !== undefined
  }

  async add(path: string, sha256: string): Promise<void> {
    await this.database
      .insertInto('written_files')
      .values({ path, sha256 })
      .onConflict((conflict) => conflict.columns(['path', 'sha256']).doNothing())
      .execute()
  }

  /** The others were replaced. */
  async keepOnly(path: string, sha256: string): Promise<void> {
    await this.database
      .deleteFrom('written_files')
      .where('path', '=', path)
      .where('sha256', '!=', sha256)
      .execute()
  }
}
