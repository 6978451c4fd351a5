import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  atPlace,
  CHECKPOINTS_SHOWN,
  type Comparison,
  type EvaluateRequest,
  type Evaluation,
  type EvaluationResult,
  type ExportRequest,
  FailureImages,
  inEnglish,
  type Job,
  type Model,
  type ModelExport,
  type ModelWithCheckpoints,
  PACKAGE,
  phrase,
  type Removal,
  type RouteResponse,
  runPath,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import type { ServiceContext } from '../context.js'
import type { Tables } from '../database/schema.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { AppError } from '../errors.js'
import type { CaseQueries } from '../evaluations/cases/case-queries.js'
import { type Page, readOffset, tokenAfter } from '../http/pagination.js'
import type { TaskOptions, TaskParams } from '../ports/task-pool.js'
import { type RemovalPlan, Removals } from '../removal/removals.js'
import { writeEvaluationReport, writeModelCard } from '../reports/run-reports.js'
import type { Roots } from '../security/roots.js'
import { findCheckpoints, listCheckpoints, openCheckpoint } from '../storage/checkpoints.js'
import { makeFolder } from '../storage/own-folder.js'
import { evaluationFiles } from '../storage/run-directory.js'
import { StudiesRepository } from '../studies/studies.repository.js'
import { kindOfTable } from '../training/configuration/config-paths.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { type CompareBody, type ComparedModel, compareModels, nameOf } from './comparisons.js'
import { combineModels, type EnsembleBody, findMembers } from './ensembles.js'
import { defaultTable, evaluationDevice } from './evaluation-defaults.js'
import { onFreeDevice } from './evaluation-device.js'
import { ModelsRepository, unknownModel } from './models.repository.js'
import { placedModel } from './placed-model.js'
import { planOfModel } from './remove-model.js'
import type { TrainingPort } from './training-port.js'

/** Folders of checkpoints that a list reads at a time. */
const MAX_FOLDERS = 16

/** Progress of an evaluation when its worker is done. */
const WORKED = 0.99
const WRITING = [phrase('writing_report')]

type EvaluateBody = z.output<typeof EvaluateRequest>
type ExportBody = z.output<typeof ExportRequest>

/** A model, the folder of one of its checkpoints, and its training. */
export interface UsedModel {
  readonly model: Model
  readonly checkpoint: string
  readonly job: Job
}

/** The registry, and the evaluation of a model on a table in a Python worker. */
export class ModelsService {
  private readonly repository: ModelsRepository
  private readonly datasets: DatasetsRepository
  private readonly removals: Removals
  private readonly studies: StudiesRepository
  /** Model id → its evaluations that are in progress. */
  private readonly evaluating = new Map<string, number>()

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'pool' | 'roots' | 'log'>,
    private readonly training: TrainingPort,
    private readonly cases: Pick<CaseQueries, 'prepare'>,
  ) {
    this.repository = new ModelsRepository(context.database)
    this.datasets = new DatasetsRepository(context.database)
    this.removals = new Removals(context)
    this.studies = new StudiesRepository(context.database, new StoredPaths(context.roots.named))
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
    const folder = this.context.folder.run(model.job_id).checkpoints
    const { checkpoints, total, fault } = await findCheckpoints(folder, CHECKPOINTS_SHOWN)
    const unreadable = fault && { error: fault.message, code: fault.code, details: fault.details }
    return { ...model, checkpoints, num_checkpoints: total, unreadable }
  }

  /** @throws AppError MODEL_NOT_FOUND, INVALID_PAGE_TOKEN */
  async checkpoints(
    name: string,
    size: number,
    token: string | undefined,
  ): Promise<RouteResponse<'listModelCheckpoints'>> {
    const { job_id } = await this.find(name)
    const offset = readOffset(token)
    const folder = this.context.folder.run(job_id).checkpoints
    const { checkpoints, total } = await listCheckpoints(folder, { offset, size })
    return { checkpoints, next_page_token: tokenAfter(offset, size, total) }
  }

  /**
   * Evaluate on a table while the caller waits, write evaluation.json, predictions.csv and the report into the run directory, and count the
   * evaluation.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, FILE_NOT_FOUND, INVALID_REQUEST (no
   * table is known for the split), TEMPERATURE_UNAVAILABLE, or an error of the trainer for the table.
   */
  async evaluate(name: string, body: EvaluateBody, options: TaskOptions): Promise<Evaluation> {
    const { model_id } = await this.find(name)
    return this.whileEvaluating([model_id], async () =>
      this.evaluateModel(await this.find(model_id), body, options),
    )
  }

  /**
   * Evaluate several models on the same cases while the caller waits; see compareModels.
   * @throws AppError as `evaluate`, INVALID_REQUEST (one model twice), and MODELS_NOT_COMPARABLE.
   */
  async compare(body: CompareBody, options: TaskOptions): Promise<Comparison> {
    const compared = await Promise.all(body.models.map((name) => this.findCompared(name)))
    refuseTwins(compared)
    return this.whileEvaluating(
      compared.map(({ model }) => model.model_id),
      () => compareModels(compared, body, this.context, this.training, this.repository, this.cases, options),
    )
  }

  /** @throws AppError MODEL_NOT_FOUND, or the error of a checkpoint. */
  async refuseUnknown(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.findCompared(name)))
  }

  /**
   * Combine trained models into one that predicts their mean, while the caller waits; see combineModels.
   * @throws AppError STUDY_NOT_FOUND, STUDY_RUNNING, JOB_NOT_FOUND, MODEL_NOT_FOUND, INVALID_REQUEST, MEMBER_NOT_TRAINED, MEMBERS_DIFFER,
   * or the error of a checkpoint.
   */
  async combine(
    body: EnsembleBody,
    whose: { readonly owner: string | null; readonly signal: AbortSignal },
  ): Promise<ModelWithCheckpoints> {
    const named = await findMembers(body, {
      studies: this.studies,
      job: (jobId) => this.training.job(jobId),
      model: (name) => this.findCompared(name),
    })
    const id = await this.whileEvaluating(
      named.members.map(({ model }) => model.model_id),
      () => combineModels(named, this.context, this.training, whose),
    )
    return this.get(id)
  }

  /**
   * Write a model to a file in its run directory while the caller waits.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_MISMATCH, EXPORT_UNSUPPORTED.
   */
  async export(name: string, body: ExportBody, options: TaskOptions): Promise<ModelExport> {
    const { model_id, job_id } = await this.find(name)
    return this.whileEvaluating([model_id], async () => {
      const { folder, pool, roots } = this.context
      const { checkpoint_path, ...chosen } = body
      const out_dir = folder.run(job_id).exports
      const checkpoint = await this.checkpointOf(await this.find(model_id), checkpoint_path)
      const places = { data_dir: folder.path, cache_dir: folder.cache, roots: [...roots.folders] }
      const card = body.format === PACKAGE ? await this.cardOf(await this.find(model_id)) : null
      const { file, ...written } = await pool.run(
        'export',
        { checkpoint, out_dir, ...chosen, card, ...places },
        options,
      )
      const inside = runPath('exports')
      return { model_id, job_id, ...chosen, file: `${inside}/${file}`, path: join(out_dir, file), ...written }
    })
  }

  /** The model card in the form of a model repository. */
  private async cardOf(model: Model): Promise<string> {
    const job = await this.training.job(model.job_id)
    const datasetTexts = await this.datasets.textsOf(job.config.data.train_csv)
    return writeModelCard(
      { model, job, runDir: this.context.folder.run(job.job_id).path, datasetTexts },
      'huggingface',
    )
  }

  /**
   * Do work with a checkpoint of a model, which cannot be removed meanwhile.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED
   */
  async using<Result>(
    name: string,
    requested: string | undefined,
    work: (used: UsedModel) => Promise<Result>,
  ): Promise<Result> {
    const { model_id } = await this.find(name)
    return this.whileEvaluating([model_id], async () => {
      const model = await this.find(model_id)
      const checkpoint = await this.checkpointOf(model, requested)
      return work({ model, checkpoint, job: await this.training.job(model.job_id) })
    })
  }

  /** The id of a model by its id or alias; an unknown name stays, since records outlive their models. */
  async idOf(name: string): Promise<string> {
    return (await this.repository.find(name))?.model_id ?? name
  }

  /** The newest evaluation of these weights of a model on a test split. */
  newestTest(modelId: string, checkpointDigest: string): Promise<Evaluation | undefined> {
    return this.repository.newestTest(modelId, checkpointDigest)
  }

  /** Prevents the removal of these models during the work. */
  private async whileEvaluating<Result>(
    models: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    for (const id of models) this.evaluating.set(id, (this.evaluating.get(id) ?? 0) + 1)
    try {
      return await work()
    } finally {
      for (const id of models) {
        const remaining = (this.evaluating.get(id) ?? 1) - 1
        if (remaining > 0) this.evaluating.set(id, remaining)
        else this.evaluating.delete(id)
      }
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
      if (this.evaluating.has(model_id)) throw new AppError('MODEL_IN_USE', phrase('model_in_use'))
      return planOfModel(model, this.context.folder.run(model.job_id), transaction)
    }
    return this.removals.remove(dryRun, plan, async (transaction) => {
      const model = await this.repository.find(model_id, transaction)
      await this.repository.remove(model_id, transaction)
      if (model?.ensemble) await this.training.forgetEnsemble(model.job_id, transaction)
    })
  }

  private async evaluateModel(model: Model, body: EvaluateBody, options: TaskOptions): Promise<Evaluation> {
    const { folder } = this.context
    const job = await this.training.job(model.job_id)
    const run = folder.run(model.job_id)
    const evaluationId = randomUUID()
    const evaluationDir = run.evaluation(evaluationId)
    const params = await this.taskOf(model, job, body, evaluationDir)
    await makeFolder(evaluationDir)
    try {
      const result = await this.measure(params, options)
      const { result: file, images } = evaluationFiles(evaluationDir)
      this.cases.prepare({ file, images, attempt: null })
      // Counted before the report is written: the evaluation took place even if the report fails.
      const evaluation = await this.repository.addEvaluation(
        {
          ...recordOf(result, evaluationDir),
          model_id: model.model_id,
          evaluation_id: evaluationId,
          split: body.split,
        },
        result.source,
      )
      options.onProgress?.(WORKED, inEnglish(WRITING), WRITING)
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
      // The evaluation was refused: remove the incomplete folder.
      if (error instanceof AppError) await rm(evaluationDir, { recursive: true, force: true })
      throw error
    }
  }

  private async measure(params: TaskParams<'evaluate'>, options: TaskOptions): Promise<EvaluationResult> {
    const { result, warnings } = await onFreeDevice(this.training.slots, params.device, (device) =>
      this.context.pool.run('evaluate', { ...params, device }, options),
    )
    return { ...result, warnings: [...result.warnings, ...warnings] }
  }

  /** Parameters of the worker task, with the defaults of the training. */
  private async taskOf(model: Model, { config, prepared }: Job, body: EvaluateBody, outDir: string) {
    const { folder, roots } = this.context
    const checkpoint = await this.checkpointOf(model, body.checkpoint_path)
    const kind = kindOfTable(config.data.recipe)
    const csv = await (body.test_csv === undefined
      ? roots.resolveTable(defaultTable(config, prepared, body.split), 'test_csv (from the training)', kind)
      : roots.resolve(body.test_csv, 'test_csv', kind))
    const imageRoot = body.image_root ?? config.data.image_root
    return {
      checkpoint,
      csv,
      image_root: imageRoot === null ? null : await roots.resolve(imageRoot, 'image_root', 'folder'),
      split: body.split,
      out_dir: outDir,
      calibrated: body.calibrated,
      failure_images: body.with_images,
      saliency: body.with_saliency,
      importance: body.importance ?? null,
      data_dir: folder.path,
      cache_dir: folder.cache,
      roots: [...roots.folders],
      device: evaluationDevice(config.training.device),
    }
  }

  /** By id or alias, or by the folder of a checkpoint of a model. */
  private async findCompared(name: string): Promise<ComparedModel> {
    const known = await this.repository.find(name)
    if (known || !/[\\/]/.test(name)) {
      const model = known ? this.placed(known) : await this.find(name)
      return { model, checkpoint: await this.checkpointOf(model, undefined) }
    }
    const { path, manifest } = await this.openCheckpoint(name, 'models')
    const model = await this.repository.findByJob(manifest.job_id)
    if (!model) throw unknownModel()
    return { model: this.placed(model), checkpoint: path }
  }

  private async find(name: string): Promise<Model> {
    const model = await this.repository.find(name)
    if (!model) throw unknownModel()
    return this.placed(model)
  }

  private placed(model: Model): Model {
    return placedModel(model, this.context.folder)
  }

  private async checkpointOf(model: Model, requested: string | undefined): Promise<string> {
    if (requested === undefined) {
      await openCheckpoint(model.checkpoint_path)
      return model.checkpoint_path
    }
    const opened = await this.openCheckpoint(requested, 'checkpoint_path')
    // A job resumed by an earlier version contains the best checkpoint of the previous job, under that job's id.
    const own = dirname(this.context.folder.run(model.job_id).checkpoint('best'))
    if (opened.manifest.job_id !== model.job_id && dirname(opened.path) !== own)
      throw new AppError(
        'CHECKPOINT_MISMATCH',
        atPlace('checkpoint_path', phrase('checkpoint_of_other_model')),
      )
    return opened.path
  }

  private async openCheckpoint(requested: string, place: string): ReturnType<Roots['openCheckpoint']> {
    try {
      return await this.context.roots.openCheckpoint(requested, place)
    } catch (error) {
      if (error instanceof AppError && error.code === 'FILE_NOT_FOUND')
        throw new AppError('CHECKPOINT_NOT_FOUND', error.text)
      throw error
    }
  }
}

/** The same model can be named by an alias and by its id. */
function refuseTwins(compared: readonly ComparedModel[]): void {
  const paths = compared.map(({ checkpoint }) => checkpoint)
  const twin = compared.find(({ checkpoint }, index) => paths.indexOf(checkpoint) < index)
  if (twin)
    throw new AppError(
      'INVALID_REQUEST',
      atPlace('models', phrase('model_listed_twice', { name: nameOf(twin) })),
    )
}

async function readFailureImages(evaluationDir: string): Promise<FailureImages> {
  return FailureImages.parse(JSON.parse(await readFile(evaluationFiles(evaluationDir).images, 'utf8')))
}

function recordOf(result: EvaluationResult, folder: string) {
  const { accuracy = null, auc = null, f1_score = null } = result.metrics
  return {
    task: result.task,
    metrics: { accuracy, auc, f1_score, ...result.metrics },
    report_path: evaluationFiles(folder).page,
    num_cases: result.num_cases,
    num_patients: result.num_patients,
    intervals: result.intervals,
    baselines: result.baselines ?? [],
    predictions_path: join(folder, result.predictions),
    warnings: result.warnings,
  }
}
