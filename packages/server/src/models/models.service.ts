import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type {
  Checkpoint,
  EvaluateRequest,
  Evaluation,
  EvaluationResult,
  Job,
  Model,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { writeEvaluationReport } from '../reports/run-reports.js'
import { listCheckpoints, readManifest } from '../storage/checkpoints.js'
import { evaluationFiles } from '../storage/run-directory.js'
import { defaultTable, evaluationDevice } from './evaluation-defaults.js'
import { ModelsRepository } from './models.repository.js'

type EvaluateBody = z.output<typeof EvaluateRequest>
/** The record of the job that trained a model, from the training domain. */
export type JobOf = (jobId: string) => Promise<Job>

/** The registry, and the evaluation of a model on a table in a Python worker. */
export class ModelsService {
  private readonly repository: ModelsRepository

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'pool' | 'roots'>,
    private readonly jobOf: JobOf,
  ) {
    this.repository = new ModelsRepository(context.database)
  }

  async list(size: number, token: string | undefined): Promise<Page<Model>> {
    const page = await this.repository.list(size, token)
    return { ...page, items: page.items.map((model) => this.placed(model)) }
  }

  /** @throws AppError MODEL_NOT_FOUND */
  async get(name: string): Promise<Model & { checkpoints: Checkpoint[] }> {
    const model = await this.find(name)
    return {
      ...model,
      checkpoints: await listCheckpoints(this.context.folder.run(model.job_id).checkpoints),
    }
  }

  /**
   * Evaluate on a table, write evaluation.json, predictions.csv and the report into the run directory, and count the evaluation.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, FILE_NOT_FOUND, INVALID_REQUEST
   *   (no table is known for the split), and what the trainer finds in the table.
   */
  async evaluate(name: string, body: EvaluateBody): Promise<Evaluation> {
    const { folder, pool } = this.context
    const model = await this.find(name)
    const job = await this.jobOf(model.job_id)
    const run = folder.run(model.job_id)
    const evaluationId = randomUUID()
    const evaluationDir = run.evaluation(evaluationId)
    const params = await this.taskOf(model, job, body, evaluationDir)
    await mkdir(evaluationDir, { recursive: true, mode: 0o700 })
    try {
      const result = await pool.run('evaluate', params)
      // Counted before the report is written: the evaluation took place even if the report fails.
      const evaluation = await this.repository.addEvaluation(
        {
          ...recordOf(result, evaluationDir),
          model_id: model.model_id,
          evaluation_id: evaluationId,
          split: body.split,
        },
        result.source.digest,
      )
      await writeEvaluationReport({
        model,
        job,
        runDir: run.path,
        evaluationDir,
        evaluation: result,
        evaluationId,
        testEvaluations: evaluation.test_evaluations,
      })
      return evaluation
    } catch (error) {
      // The evaluation itself was refused: leave no incomplete folder.
      if (error instanceof AppError) await rm(evaluationDir, { recursive: true, force: true })
      throw error
    }
  }

  /** What the worker evaluates, with the defaults of the training. */
  private async taskOf(model: Model, { config, prepared }: Job, body: EvaluateBody, outDir: string) {
    const { folder, roots } = this.context
    const checkpoint = await this.checkpointOf(model, body.checkpoint_path)
    const csv = await (body.test_csv === undefined
      ? roots.resolveTable(defaultTable(config, prepared, body.split), 'test_csv (from the training)')
      : roots.resolve(body.test_csv, 'test_csv', 'file'))
    const imageRoot = body.image_root ?? config.data.image_root
    return {
      checkpoint,
      csv,
      image_root: imageRoot === null ? null : await roots.resolve(imageRoot, 'image_root', 'folder'),
      split: body.split,
      out_dir: outDir,
      cache_dir: folder.cache,
      roots: [...roots.folders],
      device: evaluationDevice(config.training.device),
    }
  }

  private async find(name: string): Promise<Model> {
    const model = await this.repository.find(name)
    if (!model) throw new AppError('MODEL_NOT_FOUND', 'there is no model with this id')
    return this.placed(model)
  }

  /** The data folder may have been moved since the model was registered. */
  private placed(model: Model): Model {
    const run = this.context.folder.run(model.job_id)
    return { ...model, checkpoint_path: run.checkpoint(basename(model.checkpoint_path)) }
  }

  private async checkpointOf(model: Model, requested: string | undefined): Promise<string> {
    if (requested === undefined) {
      await readManifest(model.checkpoint_path)
      return model.checkpoint_path
    }
    let path: string
    try {
      path = await this.context.roots.resolveCheckpoint(requested, 'checkpoint_path')
    } catch (error) {
      if (error instanceof AppError && error.code === 'FILE_NOT_FOUND')
        throw new AppError('CHECKPOINT_NOT_FOUND', error.message)
      throw error
    }
    const manifest = await readManifest(path)
    if (manifest.job_id !== model.job_id)
      throw new AppError('CHECKPOINT_MISMATCH', 'checkpoint_path: the checkpoint belongs to another model')
    return path
  }
}

function recordOf(result: EvaluationResult, folder: string) {
  const { accuracy = null, auc = null, f1_score = null } = result.metrics
  return {
    metrics: { accuracy, auc, f1_score, ...result.metrics },
    report_path: evaluationFiles(folder).page,
    num_cases: result.num_cases,
    num_patients: result.num_patients,
    intervals: result.intervals,
    predictions_path: join(folder, result.predictions),
    warnings: result.warnings,
  }
}
