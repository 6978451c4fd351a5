import { readFile } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import {
  type CaseQuery,
  type EvaluationDocument,
  type EvaluationRecord,
  type EvaluationReport,
  EvaluationResult,
  FailureImages,
  type Job,
  phrase,
  type ReportFormat,
  type RouteRequest,
  type TestUses,
} from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { AppError } from '../errors.js'
import { type Page, readOffset, tokenAfter } from '../http/pagination.js'
import { ModelsRepository, unknownModel } from '../models/models.repository.js'
import { writeReportFormats } from '../reports/run-reports.js'
import { belongsToAttempt } from '../storage/belongs-to-attempt.js'
import { nullIfMissing } from '../storage/null-if-missing.js'
import { evaluationFiles } from '../storage/run-directory.js'
import type { CaseQueries } from './cases/case-queries.js'
import { EvaluationsRepository } from './evaluations.repository.js'

type PagedCaseQuery = CaseQuery & RouteRequest<'listEvaluationCases'>['query']

export interface LocatedEvaluation {
  /** Null: a training's evaluation on its own cases. */
  readonly record: EvaluationRecord | null
  readonly job: Job
  /** evaluation.json, or the file of the training. */
  readonly file: string
  /** Attempt that must have written the file; null: any attempt. */
  readonly attempt: number | null
}

/** Evaluations of models on tables, and evaluations of trainings on their own cases. */
export class EvaluationsService {
  private readonly repository: EvaluationsRepository
  private readonly models: ModelsRepository
  private readonly datasets: DatasetsRepository

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder'>,
    /** @throws AppError JOB_NOT_FOUND */
    private readonly job: (jobId: string) => Promise<Job>,
    private readonly queries: CaseQueries,
  ) {
    this.repository = new EvaluationsRepository(context.database)
    this.models = new ModelsRepository(context.database)
    this.datasets = new DatasetsRepository(context.database)
  }

  list(size: number, token: string | undefined): Promise<Page<EvaluationRecord>> {
    return this.repository.list(size, token)
  }

  /** @param name id or alias. @throws AppError MODEL_NOT_FOUND */
  async listOfModel(name: string, size: number, token: string | undefined): Promise<Page<EvaluationRecord>> {
    const model = await this.models.find(name)
    if (!model) throw unknownModel()
    return this.repository.list(size, token, model.model_id)
  }

  testUses(dataDigest: string): Promise<TestUses> {
    return this.repository.testUses(dataDigest)
  }

  /** @throws AppError EVALUATION_NOT_FOUND */
  async document(evaluationId: string): Promise<EvaluationDocument> {
    const { record, result, job } = await this.find(evaluationId)
    const test_uses = record.kind === 'evaluation' ? await this.testUses(record.data_digest) : null
    return { ...record, result, config: job.config, test_uses }
  }

  /**
   * The cases that a query selects, page by page.
   * @throws AppError EVALUATION_NOT_FOUND, INVALID_PAGE_TOKEN
   */
  async cases(evaluationId: string, { page_size, page_token, ...query }: PagedCaseQuery) {
    const { file, attempt } = await this.locate(evaluationId)
    const offset = readOffset(page_token)
    const found = await this.queries.find({
      file,
      images: imagesFileOf(file),
      attempt,
      query,
      offset,
      size: page_size,
    })
    if (!found) throw damaged()
    return { ...found, next_page_token: tokenAfter(offset, page_size, found.total) }
  }

  /** An image as PNG. @throws AppError EVALUATION_NOT_FOUND, RUN_FILE_NOT_FOUND */
  async failureImage(
    evaluationId: string,
    failure: number,
    view: number,
    saliency: boolean,
  ): Promise<Uint8Array> {
    const { file } = await this.locate(evaluationId)
    const known = await readImages(imagesFileOf(file))
    const image = known?.cases[failure]?.find((one) => one.view === view)
    const png = saliency ? image?.saliency : image?.png
    if (png === undefined) throw new AppError('RUN_FILE_NOT_FOUND', phrase('failure_image_unknown'))
    return Buffer.from(png, 'base64')
  }

  /** Write its report; for a training's evaluation on its own cases, the report of the run. @throws AppError EVALUATION_NOT_FOUND */
  async report(evaluationId: string, formats: readonly ReportFormat[]): Promise<EvaluationReport> {
    const { record, result, job } = await this.find(evaluationId)
    const run = this.context.folder.run(job.job_id)
    const model = record.model_id === null ? null : ((await this.models.find(record.model_id)) ?? null)
    const datasetTexts = await this.datasets.textsOf(job.config.data.train_csv)
    const about = { job, runDir: run.path, model, datasetTexts }
    const folder = run.evaluation(evaluationId)
    const files =
      record.kind !== 'evaluation' || !model
        ? await writeReportFormats(about, run.reports, formats)
        : await writeReportFormats(
            {
              ...{ ...about, model, evaluationDir: folder, evaluation: result, evaluationId },
              testEvaluations: record.test_evaluations,
              failureImages: await readImages(evaluationFiles(folder).images),
            },
            folder,
            formats,
          )
    const inside = (path: string) => relative(run.path, path).split(sep).join('/')
    return {
      evaluation_id: evaluationId,
      job_id: job.job_id,
      files: files.map(({ format, path }) => ({ format, file: inside(path), path })),
    }
  }

  /** @throws AppError EVALUATION_NOT_FOUND: it does not exist, or its document is missing or damaged. */
  private async find(evaluationId: string) {
    const { record, job, file, attempt } = await this.locate(evaluationId)
    const result = await readResult(file, attempt)
    return { record: record ?? ownRecord(evaluationId, job, result), result, job }
  }

  /** Location of the document of an evaluation. @throws AppError EVALUATION_NOT_FOUND */
  async locate(evaluationId: string): Promise<LocatedEvaluation> {
    const [, kind, jobId = ''] = /^(validation|held-out)-(.+)$/.exec(evaluationId) ?? []
    if (!kind) {
      const record = await this.repository.find(evaluationId)
      if (!record) throw unknownEvaluation()
      if (!record.has_document) throw withoutDocument(record)
      const { result } = evaluationFiles(this.context.folder.run(record.job_id).evaluation(evaluationId))
      return { record, job: await this.job(record.job_id), file: result, attempt: null }
    }
    const job = await this.job(jobId).catch((error) => {
      throw error instanceof AppError && error.code === 'JOB_NOT_FOUND' ? unknownEvaluation() : error
    })
    const { validation, heldOut } = this.context.folder.run(job.job_id)
    const file = kind === 'validation' ? validation : heldOut
    return { record: null, job, file, attempt: job.attempt }
  }
}

/** Null: the evaluation was requested without images. */
async function readImages(path: string): Promise<FailureImages | null> {
  const text = await nullIfMissing(readFile(path, 'utf8'))
  return text === null ? null : FailureImages.parse(JSON.parse(text))
}

export function imagesFileOf(file: string): string {
  return evaluationFiles(dirname(file)).images
}

/** Record of a training's evaluation on its own cases. */
function ownRecord(evaluation_id: string, job: Job, result: EvaluationResult): EvaluationRecord {
  const { split, source, num_cases, num_patients, metrics, intervals } = result
  return {
    evaluation_id,
    kind: evaluation_id.startsWith('held-out') ? 'held-out' : 'validation',
    model_id: job.model_id,
    job_id: job.job_id,
    job_name: job.job_name,
    created_at: job.ended_at ?? job.created_at,
    split,
    data_digest: source.digest,
    num_cases,
    num_patients,
    metrics,
    intervals,
    has_document: true,
    test_evaluations: null,
  }
}

/** @param attempt that must have written it; null: any attempt. */
async function readResult(file: string, attempt: number | null): Promise<EvaluationResult> {
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (attempt === null || belongsToAttempt(json, attempt)) return EvaluationResult.parse(json)
  } catch (error) {
    // An error of the disk does not mean that the evaluation is unknown, unless the file does not exist.
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && !['ENOENT', 'ENOTDIR'].includes(code)) throw error
  }
  throw damaged()
}

function unknownEvaluation(): AppError {
  return new AppError('EVALUATION_NOT_FOUND', phrase('evaluation_unknown'))
}

function withoutDocument({ model_id }: EvaluationRecord): AppError {
  return new AppError(
    'EVALUATION_NOT_FOUND',
    phrase('evaluation_has_metrics_only'),
    phrase('evaluate_again', { model: model_id ?? '' }),
  )
}

function damaged(): AppError {
  return new AppError('EVALUATION_NOT_FOUND', phrase('evaluation_damaged'))
}
