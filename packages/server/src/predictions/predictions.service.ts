import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  atPlace,
  type CasePredictions,
  type Evaluation,
  type FollowUp,
  firstTexts,
  type ModelInputs,
  type Phrase,
  PREDICT_AT_ONCE,
  PRIMARY_METRIC,
  type Prediction,
  type PredictionRecord,
  type PredictRequest,
  type PredictResult,
  phrase,
} from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { asDisplayed } from '../datasets/cases.service.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { AppError } from '../errors.js'
import { fileResponse } from '../files/file-response.js'
import type { Uploads } from '../files/uploads.js'
import { FollowUpsRepository } from '../follow-ups/follow-ups.repository.js'
import { Bytes } from '../http/bind.js'
import type { Page } from '../http/pagination.js'
import { evaluationDevice } from '../models/evaluation-defaults.js'
import { onFreeDevice } from '../models/evaluation-device.js'
import type { ModelsService, UsedModel } from '../models/models.service.js'
import type { TrainingPort } from '../models/training-port.js'
import type { TaskOptions, TaskParams } from '../ports/task-pool.js'
import type { Actor } from '../security/actor.js'
import { makeFolder } from '../storage/own-folder.js'
import { mayContainMoreThan } from './case-count.js'
import { resolveCaseImages } from './case-images.js'
import { withoutRareCategories } from './model-inputs.js'
import { PredictionsRepository } from './predictions.repository.js'
import { PredictionRetention } from './retention.js'

export const PREDICTION_DAYS = 365

export interface PredictionParts {
  readonly models: Pick<ModelsService, 'get' | 'idOf' | 'using' | 'newestTest'>
  readonly training: Pick<TrainingPort, 'slots'>
  readonly uploads: Pick<Uploads, 'fileOf'>
}

interface Requested {
  readonly actor: Pick<Actor, 'user' | 'role'>
  /** Whether the response contains ids and file names of tables, folders and datasets. */
  readonly identifiers: boolean
}

type Context = Pick<ServiceContext, 'database' | 'folder' | 'log' | 'pool' | 'roots' | 'settings'>
type Source = Pick<TaskParams<'predict'>, 'rows' | 'refused_rows' | 'path' | 'recipe' | 'image_root'>

/** Predictions of models for cases without labels, in a Python worker. */
export class PredictionsService {
  readonly retention: PredictionRetention
  private readonly repository: PredictionsRepository
  private readonly datasets: DatasetsRepository
  private readonly followUps: FollowUpsRepository
  private readonly days: number

  constructor(
    private readonly context: Context,
    private readonly parts: PredictionParts,
  ) {
    this.days = context.settings.predictionDays ?? PREDICTION_DAYS
    this.repository = new PredictionsRepository(context.database)
    this.datasets = new DatasetsRepository(context.database)
    this.followUps = new FollowUpsRepository(context.database)
    this.retention = new PredictionRetention(context, this.repository, this.days)
  }

  /** Refuse a task that cannot be executed. @throws AppError MODEL_NOT_FOUND, INVALID_REQUEST, DATASET_NOT_FOUND */
  async admit(name: string, { rows, dataset_id }: PredictRequest): Promise<void> {
    if (rows)
      throw new AppError(
        'INVALID_REQUEST',
        atPlace('wait', phrase('rows_answered_at_once')),
        phrase('send_without_wait'),
      )
    await this.parts.models.get(name)
    if (dataset_id !== undefined) await this.datasetOf(dataset_id)
  }

  /** Whether a request is executed as a task if its caller leaves the choice to the service. */
  async isLong({ rows, path, dataset_id, recipe }: PredictRequest): Promise<boolean> {
    if (rows) return false
    try {
      if (dataset_id !== undefined) return (await this.datasetOf(dataset_id)).num_cases > PREDICT_AT_ONCE
      const real = await this.context.roots.resolve(path ?? '', 'path', 'dataset')
      return recipe !== undefined || (await mayContainMoreThan(PREDICT_AT_ONCE, real))
    } catch (error) {
      // The request itself reports it.
      if (error instanceof AppError) return false
      throw error
    }
  }

  /**
   * Predict cases with a model.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH, DATASET_NOT_FOUND, UPLOAD_NOT_FOUND,
   * PATH_NOT_ALLOWED, FILE_NOT_FOUND, or an error of the trainer.
   */
  async predict(
    name: string,
    body: PredictRequest,
    requested: Requested,
    options: TaskOptions,
  ): Promise<CasePredictions> {
    const prediction_id = randomUUID()
    return this.retention.during(prediction_id, () =>
      this.parts.models.using(name, body.checkpoint_path, async (used) => {
        const { model } = used
        const { user: owner } = requested.actor
        const request = { prediction_id, created_at: new Date().toISOString(), owner }
        const followUps = await this.followUps.open(model.model_id)
        const hidden = followUps.some(({ silent }) => silent)
        const source = await this.sourceOf(body, used, requested.actor)
        const out = body.rows || hidden ? null : join(this.context.folder.predictions, prediction_id)
        const params = {
          ...this.paramsOf(body, used, source, out),
          ...this.collectionOf(request, body, used, followUps),
        }
        if (out !== null) await makeFolder(out)
        try {
          const found = await this.run(params, options)
          const result = hidden ? withoutPredictions(found) : found
          const file = result.file === null ? null : basename(result.file)
          const alias = name === model.model_id ? null : name
          const record =
            body.trace && this.days > 0
              ? { ...request, alias, model_id: model.model_id, ...recordOf(result), kind: kindOf(body) }
              : null
          await this.repository.add(request, record, file)
          const shown = body.rows !== undefined || requested.identifiers
          return {
            ...{ model_id: model.model_id, alias },
            basis: { ...result.basis, intended_use: await this.intendedUse(used) },
            performance: performanceOf(await this.newestTest(model, result), result.basis.task),
            ...{ num_cases: result.num_cases, num_failed: result.num_failed },
            predictions: shown ? result.predictions : result.predictions.map(withoutIdentifiers),
            file: out !== null && file !== null ? join(out, file) : null,
            ...{ prediction_id, recorded: record !== null, hidden, warnings: result.warnings },
          }
        } catch (error) {
          // Nobody can download an incomplete file.
          if (out !== null) await rm(out, { recursive: true, force: true })
          throw error
        }
      }),
    )
  }

  /** @throws AppError UPLOAD_NOT_FOUND, IMAGES_UNREADABLE */
  async previewUpload(
    uploadId: string,
    size: number | undefined,
    { actor, waits }: { readonly actor: Pick<Actor, 'user' | 'role'>; readonly waits: AbortSignal },
  ): Promise<Bytes> {
    const path = await this.parts.uploads.fileOf(uploadId, actor)
    const params = { path, view: asDisplayed(size ?? null), cache_dir: this.context.folder.cache }
    const { data, media_type } = await this.context.pool.run('file_image', params, { waits })
    return new Bytes(Buffer.from(data, 'base64'), media_type)
  }

  /**
   * The inputs of a model. The process that reads them loads the model, which the predictions need next.
   * @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED
   */
  async inputs(name: string, signal: AbortSignal | undefined): Promise<ModelInputs> {
    return this.parts.models.using(name, undefined, async ({ model, checkpoint }) => {
      const { folder, pool, roots } = this.context
      const params = { checkpoint, data_dir: folder.path, roots: [...roots.folders] }
      const found = await pool.run('model_inputs', params, signal ? { waits: signal } : {})
      return { model_id: model.model_id, ...withoutRareCategories(found) }
    })
  }

  /** @param model its id or alias */
  async list(
    size: number,
    token: string | undefined,
    model: string | undefined,
  ): Promise<Page<PredictionRecord>> {
    return this.repository.list(size, token, model && (await this.parts.models.idOf(model)))
  }

  /** @throws AppError PREDICTION_NOT_FOUND */
  async get(predictionId: string): Promise<PredictionRecord> {
    const record = await this.repository.find(predictionId)
    if (!record) throw unknownPrediction(phrase('prediction_unrecorded'))
    return record
  }

  /** @throws AppError PREDICTION_NOT_FOUND */
  async file(predictionId: string): Promise<Bytes> {
    const file = await this.repository.fileOf(predictionId)
    const { predictions } = this.context.folder
    const response =
      file && (await fileResponse(join(predictions, file.prediction_id, file.name), file.name, true))
    if (!response) throw unknownPrediction(phrase('prediction_file_unknown'))
    return response
  }

  /** The newest test of the weights that predicted; those of another checkpoint may be better or worse. */
  private newestTest({ model_id }: UsedModel['model'], { basis }: PredictResult) {
    return this.parts.models.newestTest(model_id, basis.checkpoint_digest)
  }

  private async intendedUse({ job: { config } }: UsedModel): Promise<string | null> {
    const texts = firstTexts(config.report, await this.datasets.textsOf(config.data.train_csv))
    return texts.intended_use ?? null
  }

  /** A single case must not wait for an accelerator, and a process that keeps its model must not occupy one. */
  private async run(params: TaskParams<'predict'>, options: TaskOptions): Promise<PredictResult> {
    const { signal, ...others } = options
    // The process continues without its caller, so that the model stays loaded.
    if (params.rows) return this.context.pool.run('predict', params, signal ? { waits: signal } : {})
    const { result } = await onFreeDevice(this.parts.training.slots, params.device, (device) =>
      this.context.pool.run('predict', { ...params, device }, { ...others, ...(signal ? { signal } : {}) }),
    )
    return result
  }

  private paramsOf(
    body: PredictRequest,
    { checkpoint, job }: UsedModel,
    source: Source,
    out_dir: string | null,
  ): Omit<TaskParams<'predict'>, 'prediction_id' | 'requested_at' | 'follow_ups'> {
    const { folder, roots } = this.context
    return {
      ...source,
      ...{ checkpoint, out_dir, format: body.format, returned: PREDICT_AT_ONCE },
      allow_missing_columns: body.allow_missing_columns,
      id_column: body.id_column ?? null,
      calibrated: body.calibrated,
      operating_point: body.operating_point ?? null,
      ...{ data_dir: folder.path, cache_dir: folder.cache, roots: [...roots.folders] },
      device: source.rows ? 'cpu' : evaluationDevice(job.config.training.device),
    }
  }

  /** Requests without a record, and predictions of another checkpoint, are not collected. */
  private collectionOf(
    { prediction_id, created_at }: Pick<PredictionRecord, 'prediction_id' | 'created_at'>,
    { trace }: PredictRequest,
    { checkpoint, model }: UsedModel,
    followUps: readonly FollowUp[],
  ): Pick<TaskParams<'predict'>, 'prediction_id' | 'requested_at' | 'follow_ups'> {
    const collecting = trace && checkpoint === model.checkpoint_path ? followUps : []
    return {
      ...{ prediction_id, requested_at: created_at },
      follow_ups: collecting.map(({ follow_up_id, id_column }) => ({
        folder: this.context.folder.followUp(follow_up_id),
        id_column,
      })),
    }
  }

  private async sourceOf(
    body: PredictRequest,
    { job }: UsedModel,
    actor: Requested['actor'],
  ): Promise<Source> {
    const { roots } = this.context
    const image_root =
      body.image_root === undefined ? null : await roots.resolve(body.image_root, 'image_root', 'folder')
    const { rows } = body
    if (rows) {
      const { data } = job.config
      const root = image_root ?? data.image_root ?? dirname(data.train_csv)
      const columns = job.prepared?.image_columns ?? data.image_columns ?? []
      const images = { columns, root, actor }
      const resolved = await resolveCaseImages(rows, images, { roots, uploads: this.parts.uploads })
      return { ...resolved, path: null, recipe: null, image_root: root }
    }
    if (body.dataset_id === undefined) {
      const path = await roots.resolve(body.path ?? '', 'path', 'dataset')
      return { rows: null, refused_rows: [], path, recipe: body.recipe ?? null, image_root }
    }
    const dataset = await this.datasetOf(body.dataset_id)
    return {
      ...{ rows: null, refused_rows: [] },
      path: await roots.resolve(dataset.path, 'dataset_id', 'dataset'),
      recipe: body.recipe ?? dataset.recipe ?? null,
      image_root: image_root ?? dataset.image_root ?? null,
    }
  }

  /** @throws AppError DATASET_NOT_FOUND */
  private async datasetOf(datasetId: string) {
    const dataset = await this.datasets.find(datasetId)
    if (!dataset) throw new AppError('DATASET_NOT_FOUND', atPlace('dataset_id', phrase('dataset_unknown')))
    return dataset
  }
}

function kindOf({ rows, path }: PredictRequest): PredictionRecord['kind'] {
  if (rows) return 'rows'
  return path === undefined ? 'dataset' : 'table'
}

/** The stored part of a result, without ids and values of cases. */
function recordOf({
  basis,
  num_cases,
  num_failed,
  predictions,
  input_digests,
  warnings,
  software,
}: PredictResult) {
  const codes = [...warnings, ...predictions.flatMap((one) => one.warnings)].map(({ code }) => code)
  return {
    ...{ checkpoint_digest: basis.checkpoint_digest, num_cases, num_failed, input_digests },
    software_digest: software ? digestOf(software) : null,
    outputs: predictions.map(({ predicted, probabilities, risk, error }) => ({
      ...{ predicted, probabilities, risk },
      error: error?.code ?? null,
    })),
    warnings: [...new Set(codes)].sort(),
  }
}

function digestOf(versions: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

/** The result while a silent follow-up of the model is open: the cases with their errors and warnings. */
function withoutPredictions(result: PredictResult): PredictResult {
  const nothing = { predicted: null, probabilities: null, set: null, interval: null, risk: null }
  const others = { survival: null, disagreement: null }
  return { ...result, predictions: result.predictions.map((one) => ({ ...one, ...nothing, ...others })) }
}

/** File names may identify patients, too. */
function withoutIdentifiers(prediction: Prediction): Prediction {
  return { ...prediction, id: null, file: null }
}

function performanceOf(
  evaluation: Evaluation | undefined,
  task: keyof typeof PRIMARY_METRIC,
): CasePredictions['performance'] {
  if (!evaluation) return null
  const metric = PRIMARY_METRIC[task]
  const { evaluation_id, metrics, num_cases, num_patients } = evaluation
  // Early versions stored no intervals for workflows.
  const intervals: Partial<Evaluation['intervals']> = evaluation.intervals ?? {}
  return {
    ...{ evaluation_id, metric, num_cases, num_patients },
    value: metrics[metric] ?? null,
    interval: intervals[metric] ?? null,
  }
}

function unknownPrediction(message: Phrase): AppError {
  return new AppError('PREDICTION_NOT_FOUND', message)
}
