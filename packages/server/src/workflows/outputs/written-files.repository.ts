import type { Database } from '../../database/database.js'

/** Digests of files written to the output folder, by path. Several digests: a write was interrupted, and the file may have any of them. */
export class WrittenFilesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Owner of the run that wrote this file. Null: no owner, or from a version that did not store owners; undefined: it was not written here.
   */
  async ownerOf(path: string, sha256: string): Promise<string | null | undefined> {
    const found = await this.database
      .selectFrom('written_files')
      .select('owner')
      .where('path', '=', path)
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return found?.owner
  }

  /** The last writer is the owner. */
  async add(path: string, sha256: string, owner: string | null): Promise<void> {
    await this.database
      .insertInto('written_files')
      .values({ path, sha256, owner })
      .onConflict((conflict) => conflict.columns(['path', 'sha256']).doUpdateSet({ owner }))
      .execute()
  }

  /** Remove the digests of replaced files. */
  async keepOnly(path: string, sha256: string): Promise<void> {
    await this.database
      .deleteFrom('written_files')
      .where('path', '=', path)
      .where('sha256', '!=', sha256)
      .execute()
  }
}
