import {
  type Evaluation,
  type EvaluationResult,
  FUSION_TYPES,
  KNOWN_TO_TRAINING,
  type Model,
  phrase,
} from '@medloom/contracts'
import type { Kysely, Transaction } from 'kysely'
import { yieldIfDue } from '../concurrency/event-loop.js'
import { nextNumber } from '../database/counters.js'
import type { Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { FollowUpsRepository } from '../follow-ups/follow-ups.repository.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import { AliasesRepository } from './aliases.repository.js'

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
  readonly #aliases: AliasesRepository

  constructor(private readonly database: Database) {
    this.#aliases = new AliasesRepository(database)
  }

  /** By id, by an alias that a user set, or by an automatic one: `latest`, `<backbone>_<fusion>_latest`. */
  async find(name: string, connection: Kysely<Tables> = this.database): Promise<Model | undefined> {
    const row = await selectModels(connection).where('model_id', '=', name).executeTakeFirst()
    if (row) return this.#named(row, connection)
    const alias = await new AliasesRepository(connection).find(name)
    if (alias?.model_id) return this.find(alias.model_id, connection)
    const kinds = kindsOf(name)
    if (name !== 'latest' && kinds.length === 0) return undefined
    let query = selectModels(connection).orderBy('number', 'desc').limit(1)
    if (name !== 'latest')
      query = query.where((where) =>
        where.or(
          kinds.map((kind) =>
            where('number', '=', (select) =>
              select
                .selectFrom('models as newest')
                .where('newest.architecture', '=', kind.architecture)
                .where('newest.fusion_type', '=', kind.fusion_type)
                .select((newest) => newest.fn.max('newest.number').as('number')),
            ),
          ),
        ),
      )
    const newest = await query.executeTakeFirst()
    return newest && this.#named(newest, connection)
  }

  /** The model that a job trained. */
  async findByJob(jobId: string): Promise<Model | undefined> {
    const row = await selectModels(this.database).where('job_id', '=', jobId).executeTakeFirst()
    return row && this.#named(row, this.database)
  }

  async list(size: number, token: string | undefined): Promise<Page<Model>> {
    const before = readPageToken(token)
    let query = selectModels(this.database)
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    const page = toPage(await query.execute(), size)
    const names = await this.#aliases.namesOf(page.items.map(({ model_id }) => model_id))
    const items: Model[] = []
    for (const row of page.items) {
      await yieldIfDue()
      items.push(toModel(row, names))
    }
    return { ...page, items }
  }

  async #named(row: ModelRow, connection: Kysely<Tables>): Promise<Model> {
    return toModel(row, await this.#aliases.namesOf([row.model_id], connection))
  }

  /** Store an evaluation and count the evaluations of this model on this data as this split, including this one. */
  addEvaluation<E extends StoredEvaluation>(
    evaluation: E,
    { digest: dataDigest, checkpoint_digest }: EvaluatedSource,
  ): Promise<E & Pick<Evaluation, 'test_evaluations'>> {
    return this.database.transaction().execute(async (transaction) => {
      const { model_id, split } = evaluation
      const before = await countEvaluations(transaction, { model_id, split, data_digest: dataDigest })
      const complete = { ...evaluation, checkpoint_digest, test_evaluations: before + 1 }
      await transaction
        .insertInto('evaluations')
        .values({
          evaluation_id: evaluation.evaluation_id,
          model_id: evaluation.model_id,
          split: evaluation.split,
          data_digest: dataDigest,
          record: JSON.stringify(complete),
          created_at: new Date().toISOString(),
          number: await nextNumber(transaction, 'evaluations'),
        })
        .execute()
      if (KNOWN_TO_TRAINING.includes(split)) return complete
      await nextNumber(transaction, testUses(dataDigest))
      await transaction
        .updateTable('models')
        .set((row) => ({ evaluations: row('evaluations', '+', 1) }))
        .where('model_id', '=', model_id)
        .execute()
      return complete
    })
  }

  /** The newest evaluation of this model on this split. */
  async newestEvaluation(modelId: string, split: string): Promise<Evaluation | undefined> {
    const rows = await this.database
      .selectFrom('evaluations')
      .select(['record', 'created_at'])
      .where('model_id', '=', modelId)
      .where('split', '=', split)
      .execute()
    const newest = rows.sort((a, b) => a.created_at.localeCompare(b.created_at)).at(-1)
    return newest && (JSON.parse(newest.record) as Evaluation)
  }

  /**
   * The newest evaluation of these weights of a model on any split that is unknown to its training, except those of comparisons. One by an
   * earlier version, which did not store the weights, counts.
   */
  async newestTest(modelId: string, checkpointDigest: string): Promise<Evaluation | undefined> {
    const row = await this.database
      .selectFrom('evaluations')
      .select('record')
      .where('model_id', '=', modelId)
      .where('comparison_id', 'is', null)
      .where('split', 'not in', KNOWN_TO_TRAINING)
      .where(({ eb, or }) =>
        or([eb('checkpoint_digest', '=', checkpointDigest), eb('checkpoint_digest', 'is', null)]),
      )
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && (JSON.parse(row.record) as Evaluation)
  }

  async hasEvaluation(modelId: string, evaluationId: string): Promise<boolean> {
    const row = await this.database
      .selectFrom('evaluations')
      .select('evaluation_id')
      .where('model_id', '=', modelId)
      .where('evaluation_id', '=', evaluationId)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Removes its evaluations too, and closes its follow-ups; its job then has no model. */
  async remove(modelId: string, transaction: Transaction<Tables>): Promise<void> {
    await transaction.deleteFrom('evaluations').where('model_id', '=', modelId).execute()
    await transaction
      .updateTable('jobs')
      .set({ model_id: null })
      .where('job_id', 'in', (jobs) =>
        jobs.selectFrom('models').select('models.job_id').where('models.model_id', '=', modelId),
      )
      .execute()
    await this.#aliases.endAll(transaction, modelId)
    await new FollowUpsRepository(transaction).closeAll(modelId, new Date().toISOString())
    await transaction.deleteFrom('models').where('model_id', '=', modelId).execute()
  }

  /** Number of evaluations of this model on this data as this split, and on any test data; null: the model does not exist. */
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

/** Digests of the evaluated cases and weights. */
export type EvaluatedSource = Pick<EvaluationResult['source'], 'digest' | 'checkpoint_digest'>

/** The indexed part of an evaluation. */
export type StoredEvaluation = Pick<Evaluation, 'evaluation_id' | 'model_id' | 'split'>

async function countEvaluations(
  database: Kysely<Tables>,
  evaluation: Pick<Tables['evaluations'], 'model_id' | 'split' | 'data_digest'>,
): Promise<number> {
  const { count } = await database
    .selectFrom('evaluations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('model_id', '=', evaluation.model_id)
    .where('split', '=', evaluation.split)
    .where('data_digest', '=', evaluation.data_digest)
    .executeTakeFirstOrThrow()
  return count
}

/** Fusion type of an ensemble whose members use different fusion types. */
export const MIXED_FUSION = 'mixed'

/** Counter of the evaluations that use the cases of a digest as test data; it is kept when models and their evaluations are removed. */
export const testUses = (dataDigest: string): string => `test uses:${dataDigest}`

export function unknownModel(): AppError {
  return new AppError('MODEL_NOT_FOUND', phrase('model_unknown'))
}

/** Each row with the data from which its aliases are derived; every lookup is one step in an index. */
function selectModels(database: Kysely<Tables>) {
  return database
    .selectFrom('models')
    .select((eb) => [
      'models.number',
      'models.model_id',
      'models.record',
      'models.architecture',
      'models.fusion_type',
      'models.evaluations',
      eb
        .selectFrom('models as newer')
        .whereRef('newer.number', '>', 'models.number')
        .orderBy('newer.number')
        .limit(1)
        .select('newer.number')
        .as('newer'),
      eb
        .selectFrom('models as newer_of_kind')
        .whereRef('newer_of_kind.architecture', '=', 'models.architecture')
        .whereRef('newer_of_kind.fusion_type', '=', 'models.fusion_type')
        .whereRef('newer_of_kind.number', '>', 'models.number')
        .orderBy('newer_of_kind.number')
        .limit(1)
        .select('newer_of_kind.number')
        .as('newer_of_kind'),
    ])
}

type ModelRow = Awaited<ReturnType<ReturnType<typeof selectModels>['execute']>>[number]

/** Automatic aliases are derived from the order of registration; `names` are those that users set. */
function toModel(row: ModelRow, names: ReadonlyMap<string, string[]>): Model {
  const record = JSON.parse(row.record) as StoredModel
  return {
    model_id: row.model_id,
    ...record,
    // Older versions did not support fine-tuning.
    fine_tuned_from: record.fine_tuned_from ?? null,
    aliases: [
      ...(names.get(row.model_id) ?? []),
      ...(row.newer === null ? ['latest'] : []),
      ...(row.newer_of_kind === null ? [`${row.architecture}_${row.fusion_type}_latest`] : []),
    ],
    evaluations: row.evaluations,
  }
}

/** The kinds of models that an alias can mean: the names of backbones and fusions contain the character that joins them. */
function kindsOf(alias: string): { architecture: string; fusion_type: string }[] {
  const kind = /^(.+)_latest$/.exec(alias)?.[1] ?? ''
  return [...FUSION_TYPES, MIXED_FUSION].flatMap((fusion_type) =>
    kind.endsWith(`_${fusion_type}`)
      ? [{ architecture: kind.slice(0, -fusion_type.length - 1), fusion_type }]
      : [],
  )
}
