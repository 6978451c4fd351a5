import type { Evaluation, Model } from '@medloom/contracts'
import type { Kysely, Transaction } from 'kysely'
import { nextNumber } from '../database/counters.js'
import type { Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

/** The stored part of a model; the rest of its record is derived from other rows. */
export type StoredModel = Omit<Model, 'model_id' | 'aliases' | 'evaluations'>

/** Register a model in the transaction that ends its job. @returns its id: `<backbone>_<fusion>_<nnn>`, counted per pair. */
export async function registerModel(transaction: Transaction<Tables>, model: StoredModel): Promise<string> {
  const kind = `${model.architecture}_${model.fusion_type}`
  const number = await nextNumber(transaction, `models:${kind}`)
  const model_id = `${kind}_${String(number).padStart(3, '0')}`
  await transaction
    .insertInto('models')
    .values({ model_id, job_id: model.job_id, record: JSON.stringify(model), created_at: model.created_at })
    .execute()
  return model_id
}

export class ModelsRepository {
  constructor(private readonly database: Database) {}

  /** By id, or by an alias: `latest`, `<backbone>_<fusion>_latest`. */
  async find(name: string): Promise<Model | undefined> {
    const row = await selectModels(this.database).where('model_id', '=', name).executeTakeFirst()
    if (row) return toModel(row, await this.newest())
    const newest = await this.newest()
    const number = [...newest].find(([, aliases]) => aliases.includes(name))?.[0]
    if (number === undefined) return undefined
    return toModel(
      await selectModels(this.database).where('number', '=', number).executeTakeFirstOrThrow(),
      newest,
    )
  }

  async list(size: number, token: string | undefined): Promise<Page<Model>> {
    const before = readPageToken(token)
    let query = selectModels(this.database)
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    const page = toPage(await query.execute(), size)
    const newest = await this.newest()
    return { ...page, items: page.items.map((row) => toModel(row, newest)) }
  }

  /** Number of a model → its aliases. They are derived from the order of registration, never stored. */
  private async newest(): Promise<Map<number, string[]>> {
    const rows = await this.database
      .selectFrom('models')
      .select(({ fn }) => ['architecture', 'fusion_type', fn.max<number>('number').as('number')])
      .groupBy(['architecture', 'fusion_type'])
      .execute()
    const last = Math.max(...rows.map(({ number }) => number))
    return new Map(
      rows.map(({ architecture, fusion_type, number }) => [
        number,
        [...(number === last ? ['latest'] : []), `${architecture}_${fusion_type}_latest`],
      ]),
    )
  }

  /** Store an evaluation and count how often this model was evaluated on this data as this split, this time included. */
  addEvaluation<E extends StoredEvaluation>(
    evaluation: E,
    dataDigest: string,
  ): Promise<E & Pick<Evaluation, 'test_evaluations'>> {
    return this.database.transaction().execute(async (transaction) => {
      const { model_id, split } = evaluation
      const before = await countEvaluations(transaction, { model_id, split, data_digest: dataDigest })
      const complete = { ...evaluation, test_evaluations: before + 1 }
      await transaction
        .insertInto('evaluations')
        .values({
          evaluation_id: evaluation.evaluation_id,
          model_id: evaluation.model_id,
          split: evaluation.split,
          data_digest: dataDigest,
          record: JSON.stringify(complete),
          created_at: new Date().toISOString(),
        })
        .execute()
      return complete
    })
  }

  /** How often this model was evaluated on this data as this split, and on any test data; null: no such model. */
  async evaluationCounts(
    model_id: string,
    split: string,
    data_digest: string,
  ): Promise<{ readonly split: number; readonly test: number } | null> {
    const model = await this.find(model_id)
    if (!model) return null
    return {
      split: await countEvaluations(this.database, { model_id, split, data_digest }),
      test: model.evaluations,
    }
  }
}

/** The indexed part of an evaluation. */
export type StoredEvaluation = Pick<Evaluation, 'evaluation_id' | 'model_id' | 'split'>

async function countEvaluations(
  database: Kysely<Tables>,
  of: Pick<Tables['evaluations'], 'model_id' | 'split' | 'data_digest'>,
): Promise<number> {
  const { count } = await database
    .selectFrom('evaluations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('model_id', '=', of.model_id)
    .where('split', '=', of.split)
    .where('data_digest', '=', of.data_digest)
    .executeTakeFirstOrThrow()
  return count
}

/** Splits that a model was trained or selected on; every other one counts as a test. */
const KNOWN_TO_TRAINING = ['train', 'val']

function selectModels(database: Kysely<Tables>) {
  return database.selectFrom('models').select((of) => [
    'models.number',
    'models.model_id',
    'models.record',
    of
      .selectFrom('evaluations')
      .whereRef('evaluations.model_id', '=', 'models.model_id')
      .where('evaluations.split', 'not in', KNOWN_TO_TRAINING)
      .select((inner) => inner.fn.countAll<number>().as('count'))
      .as('evaluations'),
  ])
}

function toModel(
  row: { number: number; model_id: string; record: string; evaluations: number | null },
  newest: ReadonlyMap<number, string[]>,
): Model {
  return {
    model_id: row.model_id,
    ...(JSON.parse(row.record) as StoredModel),
    aliases: newest.get(row.number) ?? [],
    evaluations: row.evaluations ?? 0,
  }
}
