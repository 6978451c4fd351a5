import { dirname } from 'node:path'
import type { Evaluation, Job, TrainingConfig } from '@medloom/contracts'
import type { ModelsRepository } from '../models/models.repository.js'
import { evaluationFiles } from '../storage/run-directory.js'

export interface TestEvaluationsOptions {
  readonly models: Pick<ModelsRepository, 'newestEvaluation'>
  readonly job: (jobId: string) => Promise<Job>
  readonly evaluate: (modelId: string, signal: AbortSignal) => Promise<Evaluation>
}

/** Returns true if the training has cases that are used neither for training nor for validation. */
export function namesTestCases({ data }: TrainingConfig, job: Pick<Job, 'prepared'>): boolean {
  return data.test_csv !== null || (job.prepared?.splits.test?.cases ?? 0) > 0
}

/**
 * evaluation.json of the model of a job on its test split. Each model is evaluated once, which counts as an evaluation on test data: an
 * evaluation stored by an earlier service is reused.
 * @returns null for a job without a model.
 * @throws AppError like the evaluation of a model.
 */
export async function testEvaluation(
  jobId: string,
  { models, job, evaluate }: TestEvaluationsOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const { model_id } = await job(jobId)
  if (model_id === null) return null
  const known = (await models.newestEvaluation(model_id, 'test')) ?? (await evaluate(model_id, signal))
  return evaluationFiles(dirname(known.predictions_path)).result
}
