import { batches, upsert } from '../../database/batches.js'
import type { Database } from '../../database/database.js'
import type { FileDigestRow } from '../../database/schema.js'

/** Content digests of external files, by path. */
export class FileDigestsRepository {
  constructor(private readonly database: Database) {}

  /** The paths that have a digest. */
  async find(paths: readonly string[]): Promise<FileDigestRow[]> {
    const found: FileDigestRow[] = []
    for await (const some of batches(paths))
      found.push(
        ...(await this.database.selectFrom('file_digests').selectAll().where('path', 'in', some).execute()),
      )
    return found
  }

  save(rows: readonly FileDigestRow[]): Promise<void> {
    return upsert(this.database, 'file_digests', ['path'], rows, (row) => row)
  }
}
