import type { PredictionRecord } from '@medloom/contracts'
import type { Selectable } from 'kysely'
import type { Database } from '../database/database.js'
import type { PredictionTraceRow } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

/** A file of a request for predictions. */
export interface PredictionFile {
  readonly prediction_id: string
  readonly name: string
}

/** Records of predictions, and their files. */
export class PredictionsRepository {
  constructor(private readonly database: Database) {}

  /** Store a request that has ended, in one transaction. @param record null: it is not recorded. */
  async add(
    { prediction_id, created_at, owner }: Pick<PredictionRecord, 'prediction_id' | 'created_at' | 'owner'>,
    record: PredictionRecord | null,
    file: string | null,
  ): Promise<void> {
    if (record === null && file === null) return
    await this.database.transaction().execute(async (transaction) => {
      if (record)
        await transaction
          .insertInto('prediction_traces')
          .values({
            ...record,
            input_digests: JSON.stringify(record.input_digests),
            outputs: JSON.stringify(record.outputs),
            warnings: JSON.stringify(record.warnings),
          })
          .execute()
      if (file !== null)
        await transaction
          .insertInto('prediction_files')
          .values({ prediction_id, created_at, owner, name: file })
          .execute()
    })
  }

  /** Newest first. */
  async list(
    size: number,
    token: string | undefined,
    modelId: string | undefined,
  ): Promise<Page<PredictionRecord>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('prediction_traces')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (modelId !== undefined) query = query.where('model_id', '=', modelId)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(toRecord) }
  }

  async find(predictionId: string): Promise<PredictionRecord | undefined> {
    const row = await this.database
      .selectFrom('prediction_traces')
      .selectAll()
      .where('prediction_id', '=', predictionId)
      .executeTakeFirst()
    return row && toRecord(row)
  }

  async fileOf(predictionId: string): Promise<PredictionFile | undefined> {
    return this.database
      .selectFrom('prediction_files')
      .select(['prediction_id', 'name'])
      .where('prediction_id', '=', predictionId)
      .executeTakeFirst()
  }

  /** Ids of all requests with a file. */
  async withFiles(): Promise<Set<string>> {
    const rows = await this.database.selectFrom('prediction_files').select('prediction_id').execute()
    return new Set(rows.map(({ prediction_id }) => prediction_id))
  }

  async removeRecordsBefore(time: string): Promise<void> {
    await this.database.deleteFrom('prediction_traces').where('created_at', '<', time).execute()
  }

  async removeFilesBefore(time: string): Promise<void> {
    await this.database.deleteFrom('prediction_files').where('created_at', '<', time).execute()
  }
}

function toRecord(row: Selectable<PredictionTraceRow>): PredictionRecord {
  const { number: _, input_digests, outputs, warnings, kind, ...fields } = row
  return {
    ...fields,
    kind: kind as PredictionRecord['kind'],
    input_digests: JSON.parse(input_digests),
    outputs: JSON.parse(outputs),
    warnings: JSON.parse(warnings),
  }
}
