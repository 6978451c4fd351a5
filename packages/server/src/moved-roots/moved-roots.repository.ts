import { createHash } from 'node:crypto'
import type { Database } from '../database/database.js'
import { type NamedRoot, StoredPath } from '../security/named-roots.js'

/** Maximum number of job configurations that are searched for former locations of roots, if none are stored yet. */
const LOOKED_THROUGH = 1000

export interface StoredDataset {
  readonly dataset_id: string
  readonly path: string
  readonly record: string
  readonly summary: string
}

/** The locations of roots, and the rows that contain absolute paths. */
export class MovedRootsRepository {
  constructor(private readonly database: Database) {}

  /** Every location that a root has had. */
  async places(): Promise<NamedRoot[]> {
    const rows = await this.database.selectFrom('known_roots').select(['name', 'folder']).execute()
    return rows.length > 0 ? rows : this.#placesInJobs()
  }

  async keep(places: readonly NamedRoot[]): Promise<void> {
    for (const place of places)
      await this.database
        .insertInto('known_roots')
        .values({ name: place.name, folder: place.folder })
        .onConflict((conflict) => conflict.column('folder').doUpdateSet({ name: place.name }))
        .execute()
  }

  /** A version without known_roots stored the locations with the paths of jobs. */
  async #placesInJobs(): Promise<NamedRoot[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select('config')
      .orderBy('number', 'desc')
      .limit(LOOKED_THROUGH)
      .execute()
    const found = rows.flatMap(({ config }) => storedPathsIn(JSON.parse(config)))
    return [...new Map(found.map(({ root, folder }) => [folder, { name: root, folder }])).values()]
  }

  datasets(): Promise<StoredDataset[]> {
    return this.database.selectFrom('datasets').select(['dataset_id', 'path', 'record', 'summary']).execute()
  }

  /** @returns false where another dataset has that path. */
  async moveDataset({ dataset_id, ...columns }: StoredDataset): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const other = await transaction
        .selectFrom('datasets')
        .select('dataset_id')
        .where('path', '=', columns.path)
        .where('dataset_id', '!=', dataset_id)
        .executeTakeFirst()
      if (other) return false
      await transaction.updateTable('datasets').set(columns).where('dataset_id', '=', dataset_id).execute()
      return true
    })
  }

  /** Digests of the documents of workflows; documents are read one by one, because they can be large. */
  async documents(): Promise<string[]> {
    const rows = await this.database.selectFrom('workflow_documents').select('digest').execute()
    return rows.map(({ digest }) => digest)
  }

  async document(digest: string): Promise<string | undefined> {
    const row = await this.database
      .selectFrom('workflow_documents')
      .select('document')
      .where('digest', '=', digest)
      .executeTakeFirst()
    return row?.document
  }

  /** All references to this digest are changed to the other document. */
  replaceDocument(before: string, document: string): Promise<void> {
    const digest = createHash('sha256').update(document).digest('hex')
    return this.database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('workflow_documents')
        .values({ digest, document })
        .onConflict((conflict) => conflict.column('digest').doNothing())
        .execute()
      for (const table of ['workflows', 'workflow_runs', 'workflow_revisions', 'workflow_drafts'] as const)
        await transaction
          .updateTable(table)
          .set({ document_digest: digest })
          .where('document_digest', '=', before)
          .execute()
      await transaction.deleteFrom('workflow_documents').where('digest', '=', before).execute()
    })
  }
}

function storedPathsIn(value: unknown): StoredPath[] {
  const path = StoredPath.safeParse(value)
  if (path.success) return [path.data]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(storedPathsIn)
}
