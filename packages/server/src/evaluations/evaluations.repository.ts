import { type Evaluation, type EvaluationRecord, KNOWN_TO_TRAINING, type TestUses } from '@medloom/contracts'
import type { Database } from '../database/database.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import { type StoredModel, testUses } from '../models/models.repository.js'

/** Evaluations of models that have their own document; those that were part of a comparison are only counted. */
export class EvaluationsRepository {
  constructor(private readonly database: Database) {}

  /** Evaluations of one model, or of all. */
  async list(
    size: number,
    token: string | undefined,
    modelId?: string | undefined,
  ): Promise<Page<EvaluationRecord>> {
    const before = readPageToken(token)
    let query = this.select()
      .where('evaluations.comparison_id', 'is', null)
      .orderBy('evaluations.number', 'desc')
      .limit(size + 1)
    if (modelId !== undefined) query = query.where('evaluations.model_id', '=', modelId)
    if (before !== undefined) query = query.where('evaluations.number', '<', before)
    const page = toPage(await query.execute(), size)
    return { ...page, items: page.items.map(toRecord) }
  }

  async find(evaluationId: string): Promise<EvaluationRecord | undefined> {
    const row = await this.select()
      .where('evaluations.evaluation_id', '=', evaluationId)
      .where('evaluations.comparison_id', 'is', null)
      .executeTakeFirst()
    return row && toRecord(row)
  }

  /** The compared models that are registered, in the order of the comparison. */
  async modelsOfComparison(comparisonId: string): Promise<ComparedModelRecord[]> {
    const rows = await this.select()
      .where('evaluations.comparison_id', '=', comparisonId)
      .orderBy('evaluations.number')
      .execute()
    return rows.map((row) => {
      const { model_id, job_id, job_name, created_at, test_evaluations } = toRecord(row)
      return {
        model_id: model_id ?? '',
        job_id,
        job_name,
        created_at,
        test_evaluations: test_evaluations ?? 1,
      }
    })
  }

  async testUses(dataDigest: string): Promise<TestUses> {
    const rows = await this.database
      .selectFrom('evaluations')
      .select(({ fn }) => [
        'model_id',
        'split',
        fn.countAll<number>().as('evaluations'),
        fn.max('created_at').as('last_at'),
      ])
      .where('data_digest', '=', dataDigest)
      .where('split', 'not in', KNOWN_TO_TRAINING)
      .groupBy(['model_id', 'split'])
      .execute()
    const counter = await this.database
      .selectFrom('counters')
      .select('value')
      .where('name', '=', testUses(dataDigest))
      .executeTakeFirst()
    return {
      data_digest: dataDigest,
      evaluations: counter?.value ?? 0,
      models: rows.sort((a, b) => b.last_at.localeCompare(a.last_at)),
    }
  }

  private select() {
    return this.database
      .selectFrom('evaluations')
      .innerJoin('models', 'models.model_id', 'evaluations.model_id')
      .select([
        'evaluations.number',
        'evaluations.evaluation_id',
        'evaluations.model_id',
        'evaluations.data_digest',
        'evaluations.record',
        'evaluations.created_at',
        'models.record as model',
      ])
  }
}

/** A model of a comparison, and the number of its evaluations on these cases at that time. */
export interface ComparedModelRecord {
  readonly model_id: string
  readonly job_id: string
  readonly job_name: string
  readonly created_at: string
  readonly test_evaluations: number
}

type Row = Awaited<ReturnType<ReturnType<EvaluationsRepository['select']>['execute']>>[number]

function toRecord({
  evaluation_id,
  model_id,
  data_digest,
  created_at,
  record,
  model,
}: Row): EvaluationRecord {
  const {
    split,
    num_cases,
    num_patients,
    metrics,
    // In earlier versions, workflow nodes stored neither these nor a document.
    intervals,
    test_evaluations,
  } = JSON.parse(record) as Omit<Evaluation, 'intervals'> & Partial<Pick<Evaluation, 'intervals'>>
  const { job_id, job_name } = JSON.parse(model) as StoredModel
  return {
    evaluation_id,
    kind: 'evaluation',
    model_id,
    job_id,
    job_name,
    created_at,
    split,
    data_digest,
    num_cases,
    num_patients,
    metrics,
    intervals: intervals ?? {},
    has_document: intervals !== undefined,
    test_evaluations,
  }
}
