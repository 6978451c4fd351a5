import type { Database } from '../../database/database.js'

/** What was written below the output folder: the digests by path. More than one: a write was cut off, and either may be there. */
export class WrittenFilesRepository {
  constructor(private readonly database: Database) {}

  /** Whose run wrote this. Null: nobody's, or of a version that kept no owner; undefined: it was not written here. */
  async ownerOf(path: string, sha256: string): Promise<string | null | undefined> {
    const found = await this.database
      .selectFrom('written_files')
      .select('owner')
      .where('path', '=', path)
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return found?.owner
  }

  /** The last one who writes it is its owner. */
  async add(path: string, sha256: string, owner: string | null): Promise<void> {
    await this.database
      .insertInto('written_files')
      .values({ path, sha256, owner })
      .onConflict((conflict) => conflict.columns(['path', 'sha256']).doUpdateSet({ owner }))
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
