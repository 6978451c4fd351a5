import {
  type Blob,
  EvaluationResult,
  FailureImages,
  type Job,
  type MetricsContent,
  phrase,
  RUN_SCHEMA_VERSION,
} from '@medloom/contracts'
import type { EpochRecord, WorkflowReportInput } from '@medloom/reports'
import type { Task } from '@medloom/workflow'
import type { z } from 'zod'
import { AppError } from '../../../errors.js'
import { ModelsRepository } from '../../../models/models.repository.js'
import { parseHistory, readRunFiles } from '../../../reports/run-files.js'
import { StoredPaths } from '../../../training/configuration/stored-paths.js'
import { TrainingRepository } from '../../../training/training.repository.js'
import type { ArtifactStore } from '../../cache/artifact-store.js'
import { contentAt, type ExecutionContext } from '../executor.js'

/** The metrics of this kind at a port; null if nothing is connected. @throws AppError NODE_FAILED for another kind. */
export function metricsAt(
  task: Task<never> | Task,
  port: string,
  sort: 'evaluation' | 'history',
): z.infer<typeof MetricsContent> | null {
  const metrics = contentAt(task, port, 'evaluation', 'history')
  if (metrics && metrics.content !== sort)
    throw new AppError(
      'NODE_FAILED',
      phrase('input_of_other_kind', { port, kind: metrics.content, expected: sort }),
    )
  return metrics
}

/** @throws AppError NODE_FAILED when the file is lost or is not an evaluation. */
export function readEvaluation(store: ArtifactStore, document: Blob): Promise<EvaluationResult> {
  return readDocument(store, document, 'document_not_evaluation', (json) => parsed(EvaluationResult, json))
}

/** Empty if the model reads no images. @throws AppError NODE_FAILED when the file is lost or contains no images. */
export async function readFailureImages(
  store: ArtifactStore,
  { failure_images }: z.infer<typeof MetricsContent>,
): Promise<FailureImages> {
  if (!failure_images) return { schema_version: RUN_SCHEMA_VERSION, num_views: 0, cases: [] }
  return readDocument(store, failure_images, 'document_not_failures', (json) => parsed(FailureImages, json))
}

/** @throws AppError NODE_FAILED when the file is lost or is not a history. */
export function readHistory(store: ArtifactStore, document: Blob): Promise<EpochRecord[]> {
  return readDocument(store, document, 'document_not_history', parseHistory)
}

async function readDocument<Value>(
  store: ArtifactStore,
  document: Blob,
  what: 'document_not_evaluation' | 'document_not_failures' | 'document_not_history',
  read: (json: unknown) => Value | null,
): Promise<Value> {
  const text = (await store.read(document)).toString('utf8')
  try {
    const value = read(JSON.parse(text))
    if (value !== null) return value
  } catch {
    // Not JSON: the same error.
  }
  throw new AppError('NODE_FAILED', phrase(what))
}

function parsed<S extends z.ZodType>(schema: S, json: unknown): z.output<S> | null {
  const result = schema.safeParse(json)
  return result.success ? result.data : null
}

/** The job whose checkpoint was evaluated, with the files of its run; null when this service does not know the job. */
export async function trainingOf(
  evaluation: EvaluationResult,
  { folder, database, roots }: Pick<ExecutionContext['service'], 'folder' | 'database' | 'roots'>,
): Promise<WorkflowReportInput['training']> {
  const jobId = /(?:^|[/\\])runs[/\\]([0-9a-f-]{36})[/\\]/.exec(evaluation.source.checkpoint)?.[1]
  const repository = new TrainingRepository(database, new StoredPaths(roots.named))
  const record = jobId === undefined ? undefined : await repository.find(jobId)
  if (!record) return null
  const runDir = folder.run(record.job_id).path
  // Without fields that may change after the end of a training.
  const { number: _, request: __, handle: ___, events_offset: ____, last_seq: _____, ...stored } = record
  const job: Job = {
    ...stored,
    queue_position: null,
    device: record.prepared?.device ?? null,
    resumable: false,
    run_dir: runDir,
    report_path: null,
  }
  const { history, validation, unreadable } = await readRunFiles(runDir, job.attempt)
  return { job, history, validation, unreadable }
}

/** Number of evaluations of the model on these data, and on any test data, until now. */
export function evaluationCountsOf(
  { split, source }: EvaluationResult,
  modelId: string | null | undefined,
  { database }: Pick<ExecutionContext['service'], 'database'>,
): Promise<WorkflowReportInput['evaluationCounts']> {
  if (!modelId) return Promise.resolve(null)
  return new ModelsRepository(database).evaluationCounts(modelId, split, source.digest)
}
