import { readFile } from 'node:fs/promises'
import {
  type ComparedCaseQuery,
  type ComparisonDocument,
  ComparisonResult,
  phrase,
  type RouteRequest,
} from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import { readOffset, tokenAfter } from '../http/pagination.js'
import { comparisonFiles } from '../storage/run-directory.js'
import type { CaseQueries } from './cases/case-queries.js'
import { type ComparedModelRecord, EvaluationsRepository } from './evaluations.repository.js'

type PagedQuery = ComparedCaseQuery & RouteRequest<'listComparedCases'>['query']

/** Stored comparisons. Their files are in the run directory of the first model. */
export class ComparisonsService {
  private readonly repository: EvaluationsRepository

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder'>,
    private readonly queries: CaseQueries,
  ) {
    this.repository = new EvaluationsRepository(context.database)
  }

  /** @throws AppError COMPARISON_NOT_FOUND */
  async document(comparisonId: string): Promise<ComparisonDocument> {
    const { result, models } = await this.#find(comparisonId)
    return {
      comparison_id: comparisonId,
      created_at: models[0]?.created_at ?? '',
      models: result.models.flatMap(({ name }) => {
        const model = models.find(({ model_id }) => isNameOf(name, model_id))
        if (!model) return []
        const { model_id, job_id, job_name, test_evaluations } = model
        return [{ name, model_id, job_id, job_name, test_evaluations }]
      }),
      result,
    }
  }

  /** Predictions of two of its models for each case. @throws AppError COMPARISON_NOT_FOUND, MODEL_NOT_FOUND, INVALID_PAGE_TOKEN */
  async cases(comparisonId: string, { page_size, page_token, ...query }: PagedQuery) {
    const { file, result } = await this.#find(comparisonId)
    const names = result.models.map(({ name }) => name)
    const pair = [query.first ?? names[0] ?? '', query.second ?? names[1] ?? ''] as const
    for (const name of pair)
      if (!names.includes(name)) throw new AppError('MODEL_NOT_FOUND', phrase('comparison_without_model'))
    const offset = readOffset(page_token)
    const found = await this.queries.find({ file, pair, query, offset, size: page_size })
    if (!found) throw damaged()
    return { ...found, next_page_token: tokenAfter(offset, page_size, found.total) }
  }

  async #find(comparisonId: string): Promise<{
    readonly file: string
    readonly models: readonly ComparedModelRecord[]
    readonly result: ComparisonResult
  }> {
    const models = await this.repository.modelsOfComparison(comparisonId)
    for (const { job_id } of models) {
      const { result: file } = comparisonFiles(this.context.folder.run(job_id).comparison(comparisonId))
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
        throw error
      })
      if (text === null) continue
      const parsed = ComparisonResult.safeParse(parse(text))
      if (!parsed.success) throw damaged()
      return { file, models, result: parsed.data }
    }
    throw new AppError('COMPARISON_NOT_FOUND', phrase('comparison_unknown'))
  }
}

/** The name of a model is its id, followed by the name of the checkpoint unless that is the best one. */
function isNameOf(name: string, modelId: string): boolean {
  return name === modelId || name.startsWith(`${modelId} `)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function damaged(): AppError {
  return new AppError('COMPARISON_NOT_FOUND', phrase('comparison_damaged'))
}
