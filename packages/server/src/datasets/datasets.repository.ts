import { randomUUID } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { type Dataset, DatasetSummary, type Inspection, phrase, type ReportTexts } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Connection, Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import { listedDataset } from './listed-dataset.js'

/** The user who registers a dataset. */
export interface Registrant {
  readonly owner: string | null
  /** @throws AppError if the existing record belongs to this owner and this user must not replace it. */
  readonly mayReplace: (owner: string | null) => void
}

/** Registered datasets, one per real path. */
export class DatasetsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Insert a record, or update the record of this path: id, owner and time of the first registration are kept, and so are name and texts
   * unless others are given.
   * @throws the error of `mayReplace` for the owner of the existing record.
   */
  save(
    inspection: Inspection,
    { name, report }: { readonly name?: string | undefined; readonly report?: ReportTexts | undefined },
    request: Required<
      Pick<Dataset, 'image_root' | 'roles' | 'ignore_columns' | 'positive_class_named' | 'slices'>
    > &
      Pick<Dataset, 'files_mark' | 'recipe'>,
    { owner, mayReplace }: Registrant,
  ): Promise<Dataset> {
    return this.database.transaction().execute(async (transaction) => {
      const known = await this.findByPath(inspection.path, transaction)
      if (known) mayReplace(known.owner)
      const texts = report ?? known?.report
      const saved: Dataset = {
        dataset_id: known?.dataset_id ?? randomUUID(),
        name: name ?? known?.name ?? basename(inspection.path),
        created_at: known?.created_at ?? new Date().toISOString(),
        owner: known ? known.owner : owner,
        ...inspection,
        ...request,
        ...(known?.note ? { note: known.note } : {}),
        ...(texts ? { report: texts } : {}),
      }
      if (known)
        await transaction
          .updateTable('datasets')
          .set(documentsOf(saved))
          .where('dataset_id', '=', known.dataset_id)
          .execute()
      else
        await transaction
          .insertInto('datasets')
          .values({
            dataset_id: saved.dataset_id,
            path: saved.path,
            ...documentsOf(saved),
            owner: saved.owner,
            created_at: saved.created_at,
          })
          .execute()
      return saved
    })
  }

  /**
   * Undefined: the dataset no longer exists.
   * @throws AppError DATASET_EXISTS if another dataset has the new path
   */
  edit(datasetId: string, change: Partial<Dataset>): Promise<Dataset | undefined> {
    return this.database.transaction().execute(async (transaction) => {
      const known = await this.find(datasetId, transaction)
      if (!known) return undefined
      const edited = { ...known, ...change }
      if (edited.path !== known.path) await this.refuseTaken(edited.path, datasetId, transaction)
      await transaction
        .updateTable('datasets')
        .set({ path: edited.path, ...documentsOf(edited) })
        .where('dataset_id', '=', datasetId)
        .execute()
      return edited
    })
  }

  async remove(datasetId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('datasets').where('dataset_id', '=', datasetId).execute()
  }

  async find(datasetId: string, connection: Connection = this.database): Promise<Dataset | undefined> {
    const row = await connection
      .selectFrom('datasets')
      .select(RECORD)
      .where('dataset_id', '=', datasetId)
      .executeTakeFirst()
    return row && datasetOf(row)
  }

  async findByPath(path: string, connection: Connection = this.database): Promise<Dataset | undefined> {
    const row = await connection
      .selectFrom('datasets')
      .select(RECORD)
      .where('path', '=', path)
      .executeTakeFirst()
    return row && datasetOf(row)
  }

  /** @throws AppError DATASET_EXISTS if another dataset has this path */
  async refuseTaken(path: string, datasetId: string, connection: Connection = this.database): Promise<void> {
    const other = await this.findByPath(path, connection)
    if (other && other.dataset_id !== datasetId)
      throw new AppError(
        'DATASET_EXISTS',
        phrase('dataset_registered', { path, name: other.name, id: other.dataset_id }),
      )
  }

  /** Report texts of the dataset of this table, or of its folder. */
  async textsOf(table: string, connection: Connection = this.database): Promise<ReportTexts | undefined> {
    const rows = await connection
      .selectFrom('datasets')
      .select(['path', 'record'])
      .where('path', 'in', [table, dirname(table)])
      .execute()
    const row = rows.find(({ path }) => path === table) ?? rows[0]
    return row && (JSON.parse(row.record) as Dataset).report
  }

  /** The existing ones of these datasets. */
  async summaries(datasetIds: readonly string[]): Promise<DatasetSummary[]> {
    if (datasetIds.length === 0) return []
    const rows = await this.database
      .selectFrom('datasets')
      .select(SUMMARY)
      .where('dataset_id', 'in', datasetIds)
      .execute()
    return rows.map(summaryOf)
  }

  async list(size: number, token: string | undefined, owner?: string): Promise<Page<DatasetSummary>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('datasets')
      .select(['number', ...SUMMARY])
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (owner !== undefined) query = query.where('owner', '=', owner)
    const page = toPage(await query.execute(), size)
    // Earlier versions have stored long summaries.
    return { ...page, items: page.items.map((row) => listedDataset(summaryOf(row))) }
  }
}

const RECORD = ['record', 'owner'] as const
const SUMMARY = ['summary', 'owner'] as const

function datasetOf({ record, owner }: { readonly record: string; readonly owner: string | null }): Dataset {
  return { ...JSON.parse(record), owner }
}

function summaryOf({
  summary,
  owner,
}: {
  readonly summary: string
  readonly owner: string | null
}): DatasetSummary {
  return { ...JSON.parse(summary), owner }
}

const SUMMARIZED = Object.keys(DatasetSummary.omit({ owner: true }).shape)

/** The owner has a column of its own. */
function documentsOf({ owner: _, ...dataset }: Dataset) {
  const fields = Object.entries(dataset).filter(([key]) => SUMMARIZED.includes(key))
  const summary = listedDataset(Object.fromEntries(fields) as DatasetSummary)
  return { record: JSON.stringify(dataset), summary: JSON.stringify(summary) }
}
