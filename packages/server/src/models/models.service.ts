import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type EvaluateRequest,
  type Evaluation,
  type EvaluationResult,
  FailureImages,
  type Job,
  type Model,
  type ModelWithCheckpoints,
  type Removal,
  type Warning,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import type { ServiceContext } from '../context.js'
import type { Tables } from '../database/schema.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { type RemovalPlan, Removals } from '../removal/removals.js'
import { writeEvaluationReport } from '../reports/run-reports.js'
import type { Roots } from '../security/roots.js'
import { listCheckpoints, openCheckpoint } from '../storage/checkpoints.js'
import { evaluationFiles } from '../storage/run-directory.js'
import type { Places } from '../training/scheduling/places.js'
import type { TaskParams } from '../worker/task-pool.js'
import { defaultTable, evaluationDevice } from './evaluation-defaults.js'
import { ModelsRepository } from './models.repository.js'
import { planOfModel } from './remove-model.js'

/** Folders of checkpoints that a list reads at a time. */
const MAX_FOLDERS = 16

type EvaluateBody = z.output<typeof EvaluateRequest>
/** What the training domain knows: the job that trained a model, and which accelerators are free. */
export interface TrainingOfModels {
  job(jobId: string): Promise<Job>
  readonly places: Pick<Places, 'tryHold'>
}

/** The registry, and the evaluation of a model on a table in a Python worker. */
export class ModelsService {
  private readonly repository: ModelsRepository
  private readonly datasets: DatasetsRepository
  private readonly removals: Removals
  /** Model id → its evaluations that are in progress. */
  private readonly evaluating = new Map<string, number>()

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'pool' | 'roots' | 'log'>,
    private readonly training: TrainingOfModels,
  ) {
    this.repository = new ModelsRepository(context.database)
    this.datasets = new DatasetsRepository(context.database)
    this.removals = new Removals(context)
  }

  async list(size: number, token: string | undefined): Promise<Page<ModelWithCheckpoints>> {
    const page = await this.repository.list(size, token)
    const items: ModelWithCheckpoints[] = []
    await forEachLimit(MAX_FOLDERS, [...page.items.entries()], async ([index, model]) => {
      items[index] = await this.withCheckpoints(this.placed(model))
    })
    return { ...page, items }
  }

  /** @throws AppError MODEL_NOT_FOUND */
  async get(name: string): Promise<ModelWithCheckpoints> {
    return this.withCheckpoints(await this.find(name))
  }

  private async withCheckpoints(model: Model): Promise<ModelWithCheckpoints> {
    const { checkpoints } = this.context.folder.run(model.job_id)
    return { ...model, checkpoints: await listCheckpoints(checkpoints) }
  }

  /**
   * Evaluate on a table, as long as the caller waits for it, write evaluation.json, predictions.csv and the report into the run directory, and count the evaluation.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, FILE_NOT_FOUND, INVALID_REQUEST
   *   (no table is known for the split), and what the trainer finds in the table.
   */
  async evaluate(name: string, body: EvaluateBody, signal: AbortSignal): Promise<Evaluation> {
    const model = await this.find(name)
    const { model_id } = model
    this.evaluating.set(model_id, (this.evaluating.get(model_id) ?? 0) + 1)
    try {
      return await this.evaluateModel(await this.find(model_id), body, signal)
    } finally {
      const left = (this.evaluating.get(model_id) ?? 1) - 1
      if (left > 0) this.evaluating.set(model_id, left)
      else this.evaluating.delete(model_id)
    }
  }

  /**
   * Remove a model with its checkpoints and evaluations.
   * @throws AppError MODEL_NOT_FOUND, MODEL_IN_USE.
   */
  async remove(name: string, dryRun: boolean): Promise<Removal> {
    const { model_id } = await this.find(name)
    const plan = async (transaction: Transaction<Tables>): Promise<RemovalPlan> => {
      const model = await this.repository.find(model_id, transaction)
      if (!model) throw unknownModel()
      if (this.evaluating.has(model_id)) throw new AppError('MODEL_IN_USE', 'the model is being evaluated')
      return planOfModel(model, this.context.folder.run(model.job_id), transaction)
    }
    return this.removals.remove(dryRun, plan, (transaction) => this.repository.remove(model_id, transaction))
  }

  private async evaluateModel(model: Model, body: EvaluateBody, signal: AbortSignal): Promise<Evaluation> {
    const { folder } = this.context
    const job = await this.training.job(model.job_id)
    const run = folder.run(model.job_id)
    const evaluationId = randomUUID()
    const evaluationDir = run.evaluation(evaluationId)
    const params = await this.taskOf(model, job, body, evaluationDir)
    await mkdir(evaluationDir, { recursive: true, mode: 0o700 })
    try {
      const result = await this.measure(params, signal)
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
        datasetTexts: await this.datasets.textsOf(job.config.data.train_csv),
        failureImages: body.with_images ? await readFailureImages(evaluationDir) : null,
      })
      return evaluation
    } catch (error) {
      // The evaluation itself was refused: leave no incomplete folder.
      if (error instanceof AppError) await rm(evaluationDir, { recursive: true, force: true })
      throw error
    }
  }

  /** On the device of the training where a place is free; else on the CPU, with a warning: the caller waits for the answer. */
  private async measure(params: TaskParams<'evaluate'>, signal: AbortSignal): Promise<EvaluationResult> {
    const hold = await this.training.places.tryHold(params.device)
    try {
      const device = hold?.device ?? 'cpu'
      const result = await this.context.pool.run('evaluate', { ...params, device }, { signal })
      return hold ? result : { ...result, warnings: [...result.warnings, takenDevice(params.device)] }
    } finally {
      hold?.release()
    }
  }

  /** What the worker evaluates, with the defaults of the training. */
  private async taskOf(model: Model, { config, prepared }: Job, body: EvaluateBody, outDir: string) {
    const { folder, roots } = this.context
    const checkpoint = await this.checkpointOf(model, body.checkpoint_path)
    const csv = await (body.test_csv === undefined
      ? roots.resolveTable(defaultTable(config, prepared, body.split), 'test_csv (from the training)')
      : roots.resolve(body.test_csv, 'test_csv', 'table'))
    const imageRoot = body.image_root ?? config.data.image_root
    return {
      checkpoint,
      csv,
      image_root: imageRoot === null ? null : await roots.resolve(imageRoot, 'image_root', 'folder'),
      split: body.split,
      out_dir: outDir,
      failure_images: body.with_images,
      data_dir: folder.path,
      cache_dir: folder.cache,
      roots: [...roots.folders],
      device: evaluationDevice(config.training.device),
    }
  }

  private async find(name: string): Promise<Model> {
    const model = await this.repository.find(name)
    if (!model) throw unknownModel()
    return this.placed(model)
  }

  /** The data folder may have been moved since the model was registered. */
  private placed(model: Model): Model {
    const run = this.context.folder.run(model.job_id)
    return { ...model, checkpoint_path: run.checkpoint(basename(model.checkpoint_path)) }
  }

  private async checkpointOf(model: Model, requested: string | undefined): Promise<string> {
    if (requested === undefined) {
      await openCheckpoint(model.checkpoint_path)
      return model.checkpoint_path
    }
    let opened: Awaited<ReturnType<Roots['openCheckpoint']>>
    try {
      opened = await this.context.roots.openCheckpoint(requested, 'checkpoint_path')
    } catch (error) {
      if (error instanceof AppError && error.code === 'FILE_NOT_FOUND')
        throw new AppError('CHECKPOINT_NOT_FOUND', error.message)
      throw error
    }
    // A job that was resumed by an earlier version holds the best checkpoint of the one before, under that job's id.
    const own = dirname(this.context.folder.run(model.job_id).checkpoint('best'))
    if (opened.manifest.job_id !== model.job_id && dirname(opened.path) !== own)
      throw new AppError('CHECKPOINT_MISMATCH', 'checkpoint_path: the checkpoint belongs to another model')
    return opened.path
  }
}

async function readFailureImages(evaluationDir: string): Promise<FailureImages> {
  return FailureImages.parse(JSON.parse(await readFile(evaluationFiles(evaluationDir).images, 'utf8')))
}

function unknownModel(): AppError {
  return new AppError('MODEL_NOT_FOUND', 'there is no model with this id')
}

function takenDevice(device: string): Warning {
  return {
    code: 'EVALUATED_ON_CPU',
    message: `No place on an accelerator was free (device ${device}): the evaluation ran on the CPU.`,
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
