import { readFile } from 'node:fs/promises'
import {
  type EvaluationDocument,
  type EvaluationKind,
  type EvaluationRecord,
  EvaluationResult,
  type Job,
  ownEvaluationId,
  type TestUses,
} from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { ModelsRepository, unknownModel } from '../models/models.repository.js'
import { isWrittenBy } from '../reports/run-files.js'
import { evaluationFiles, type RunDirectory } from '../storage/run-directory.js'
import { EvaluationsRepository } from './evaluations.repository.js'

/** An evaluation, and where it is written. */
export interface FoundEvaluation {
  readonly record: EvaluationRecord
  readonly result: EvaluationResult
  readonly job: Job
  /** evaluation.json, or the file of the training. */
  readonly file: string
}

/** What was measured: evaluations of models on tables, and what trainings measured of their own cases. */
export class EvaluationsService {
  private readonly repository: EvaluationsRepository
  private readonly models: ModelsRepository

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder'>,
    /** @throws AppError JOB_NOT_FOUND */
    private readonly job: (jobId: string) => Promise<Job>,
  ) {
    this.repository = new EvaluationsRepository(context.database)
    this.models = new ModelsRepository(context.database)
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

  /** @throws AppError EVALUATION_NOT_FOUND: it does not exist, or its document is missing or damaged. */
  async find(evaluationId: string): Promise<FoundEvaluation> {
    const own = /^(validation|held-out)-(.+)$/.exec(evaluationId)
    if (own) return this.findOwn(own[1] as 'validation' | 'held-out', own[2] ?? '')
    const record = await this.repository.find(evaluationId)
    if (!record) throw unknownEvaluation()
    const job = await this.job(record.job_id)
    const { result: file } = evaluationFiles(this.context.folder.run(record.job_id).evaluation(evaluationId))
    return { record, result: await readResult(file, null), job, file }
  }

  /** Of the best checkpoint of a training, by the attempt that counts. */
  private async findOwn(
    kind: Exclude<EvaluationKind, 'evaluation'>,
    jobId: string,
  ): Promise<FoundEvaluation> {
    const job = await this.job(jobId).catch((error) => {
      throw error instanceof AppError && error.code === 'JOB_NOT_FOUND' ? unknownEvaluation() : error
    })
    const file = ownFile(this.context.folder.run(job.job_id), kind)
    const result = await readResult(file, job.attempt)
    const { split, source, num_cases, num_patients, metrics, intervals } = result
    const record: EvaluationRecord = {
      evaluation_id: ownEvaluationId(kind, job.job_id),
      kind,
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
      test_evaluations: null,
    }
    return { record, result, job, file }
  }
}

function ownFile(run: RunDirectory, kind: Exclude<EvaluationKind, 'evaluation'>): string {
  return kind === 'validation' ? run.validation : run.heldOut
}

/** @param attempt that must have written it; null: any. */
async function readResult(file: string, attempt: number | null): Promise<EvaluationResult> {
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (attempt === null || isWrittenBy(json, attempt)) return EvaluationResult.parse(json)
  } catch (error) {
    // What the disk says is no matter of the evaluation, unless nothing is there.
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && !['ENOENT', 'ENOTDIR'].includes(code)) throw error
  }
  throw unknownEvaluation('the document of this evaluation is missing or damaged')
}

function unknownEvaluation(message = 'there is no evaluation with this id'): AppError {
  return new AppError('EVALUATION_NOT_FOUND', message)
}
