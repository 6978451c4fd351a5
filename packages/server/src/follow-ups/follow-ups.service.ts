import { randomBytes, randomUUID } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  type CreateFollowUp,
  type Evaluation,
  type FollowUp,
  FollowUpEvaluation,
  type FollowUpOutcomes,
  type FollowUpOutcomesAdded,
  type FollowUpWithCoverage,
  phrase,
  type Removal,
} from '@medloom/contracts'
import { KeyedMutex } from '../concurrency/keyed-mutex.js'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import type { ModelsService, UsedModel } from '../models/models.service.js'
import type { TaskParams } from '../ports/task-pool.js'
import { Removals } from '../removal/removals.js'
import type { Actor } from '../security/actor.js'
import { weightsDigest } from '../storage/checkpoints.js'
import { writeJsonAtomically, writeTextAtomically } from '../storage/files.js'
import { nullIfMissing } from '../storage/null-if-missing.js'
import { makeFolder } from '../storage/own-folder.js'
import { evaluationFiles } from '../storage/run-directory.js'
import { FollowUpsRepository } from './follow-ups.repository.js'

export interface FollowUpParts {
  readonly models: Pick<ModelsService, 'get' | 'idOf' | 'using' | 'newestTest'>
}

type Context = Pick<ServiceContext, 'database' | 'folder' | 'log' | 'pool' | 'roots'>
type Development = TaskParams<'follow_up_evaluate'>['development']

const KEY_BYTES = 32

/** Predictions of models that are collected over time, and their outcomes. */
export class FollowUpsService {
  private readonly repository: FollowUpsRepository
  private readonly removals: Removals
  /** Outcomes are merged into one file. */
  private readonly writing = new KeyedMutex()

  constructor(
    private readonly context: Context,
    private readonly parts: FollowUpParts,
  ) {
    this.repository = new FollowUpsRepository(context.database)
    this.removals = new Removals(context)
  }

  /** @throws AppError MODEL_NOT_FOUND */
  async create(body: CreateFollowUp, user: string): Promise<FollowUp> {
    const { model_id } = await this.parts.models.get(body.model)
    const { name, silent, window_days } = body
    const followUp = {
      ...{ follow_up_id: randomUUID(), name, model_id, id_column: body.id_column ?? null },
      ...{ silent, window_days, owner: user, created_at: new Date().toISOString(), closed_at: null },
      evaluations: 0,
    }
    const folder = this.context.folder.followUp(followUp.follow_up_id)
    await makeFolder(folder)
    await writeTextAtomically(join(folder, 'key'), randomBytes(KEY_BYTES).toString('hex'))
    await this.repository.add(followUp)
    return followUp
  }

  /** @param model its id or alias */
  async list(size: number, token: string | undefined, model: string | undefined): Promise<Page<FollowUp>> {
    return this.repository.list(size, token, model && (await this.parts.models.idOf(model)))
  }

  /** @throws AppError FOLLOW_UP_NOT_FOUND */
  async get(followUpId: string, signal: AbortSignal | undefined): Promise<FollowUpWithCoverage> {
    const followUp = await this.find(followUpId)
    const coverage = await this.context.pool.run(
      'follow_up_coverage',
      this.placeOf(followUp),
      options(signal),
    )
    return { ...followUp, coverage }
  }

  /** @throws AppError FOLLOW_UP_NOT_FOUND, OUTCOME_CONFLICT, PATH_NOT_ALLOWED, FILE_NOT_FOUND, or an error of the table. */
  async addOutcomes(
    followUpId: string,
    body: FollowUpOutcomes,
    signal: AbortSignal | undefined,
  ): Promise<FollowUpOutcomesAdded> {
    const followUp = await this.find(followUpId)
    const path = await this.context.roots.resolve(body.path, 'path', 'dataset')
    return this.whileAlone(followUp, (used) =>
      this.context.pool.run(
        'follow_up_outcomes',
        {
          ...{ ...this.placeOf(followUp), ...this.modelOf(used), path },
          ...{ id_column: body.id_column, label_columns: body.label_columns ?? null },
          ...{ replace: body.replace, cache_dir: this.context.folder.cache },
        },
        options(signal),
      ),
    )
  }

  /**
   * Measure the known outcomes, and store the result.
   * @throws AppError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_SILENT, MODEL_NOT_FOUND
   */
  async evaluate(followUpId: string, signal: AbortSignal | undefined): Promise<FollowUpEvaluation> {
    const followUp = await this.find(followUpId)
    refuseHidden(followUp)
    return this.whileAlone(followUp, async (used) => {
      const weights = await weightsDigest(used.checkpoint)
      const newest = await this.parts.models.newestTest(followUp.model_id, weights)
      const params = {
        ...{ ...this.placeOf(followUp), ...this.modelOf(used) },
        development: newest ? await this.filesOf(newest, used) : null,
      }
      const result = await this.context.pool.run('follow_up_evaluate', params, options(signal))
      const { follow_up_id, model_id } = followUp
      const evaluation: FollowUpEvaluation = {
        ...{ ...result, follow_up_id, model_id, evaluated_at: new Date().toISOString() },
        development: newest ? developmentOf(newest) : null,
        evaluations: await this.repository.countEvaluation(follow_up_id),
      }
      await writeJsonAtomically(this.evaluationFile(followUp), evaluation)
      return evaluation
    })
  }

  /** The latest evaluation. @throws AppError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_SILENT */
  async evaluation(followUpId: string, actor: Pick<Actor, 'user' | 'role'>): Promise<FollowUpEvaluation> {
    const followUp = await this.find(followUpId)
    refuseHidden(followUp)
    if (followUp.silent && actor.role !== 'admin' && actor.user !== followUp.owner)
      throw new AppError('FOLLOW_UP_SILENT', phrase('follow_up_of_others'))
    const text = await nullIfMissing(readFile(this.evaluationFile(followUp), 'utf8'))
    if (text === null) throw new AppError('FOLLOW_UP_NOT_FOUND', phrase('follow_up_not_evaluated'))
    return FollowUpEvaluation.parse(JSON.parse(text))
  }

  /** @throws AppError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_CLOSED */
  async close(followUpId: string): Promise<FollowUp> {
    const { closed_at } = await this.find(followUpId)
    if (closed_at !== null)
      throw new AppError('FOLLOW_UP_CLOSED', phrase('follow_up_was_closed', { time: closed_at }))
    await this.repository.close(followUpId, new Date().toISOString())
    return this.find(followUpId)
  }

  /** @throws AppError FOLLOW_UP_NOT_FOUND */
  async remove(followUpId: string, dryRun: boolean): Promise<Removal> {
    return this.removals.remove(
      dryRun,
      async (transaction) => {
        const followUp = await new FollowUpsRepository(transaction).find(followUpId)
        if (!followUp) throw unknownFollowUp()
        return {
          id: followUpId,
          folders: [this.context.folder.followUp(followUpId)],
          lost: [phrase('lost_follow_up', { name: followUp.name })],
        }
      },
      (transaction) => new FollowUpsRepository(transaction).remove(followUpId),
    )
  }

  /** Work on the files of a follow-up, with the model whose predictions it collects. */
  private whileAlone<Result>(
    { follow_up_id, model_id }: FollowUp,
    work: (used: UsedModel) => Promise<Result>,
  ): Promise<Result> {
    return this.writing.run(follow_up_id, () => this.parts.models.using(model_id, undefined, work))
  }

  private placeOf({ follow_up_id, created_at, window_days }: FollowUp) {
    return { folder: this.context.folder.followUp(follow_up_id), started_at: created_at, window_days }
  }

  private modelOf({ checkpoint }: UsedModel) {
    const { folder, roots } = this.context
    return { checkpoint, data_dir: folder.path, roots: [...roots.folders] }
  }

  /** Null: earlier versions of workflows stored only metrics. */
  private async filesOf(
    { evaluation_id, predictions_path }: Evaluation,
    { job }: UsedModel,
  ): Promise<Development> {
    const folder = this.context.folder.run(job.job_id).evaluation(evaluation_id)
    const { result } = evaluationFiles(folder)
    const predictions = join(folder, basename(predictions_path))
    const found = await nullIfMissing(Promise.all([access(result), access(predictions)]))
    return found === null ? null : { result, predictions }
  }

  private evaluationFile({ follow_up_id }: FollowUp): string {
    return join(this.context.folder.followUp(follow_up_id), 'evaluation.json')
  }

  private async find(followUpId: string): Promise<FollowUp> {
    const followUp = await this.repository.find(followUpId)
    if (!followUp) throw unknownFollowUp()
    return followUp
  }
}

function options(signal: AbortSignal | undefined) {
  return signal ? { signal } : {}
}

function refuseHidden({ silent, closed_at }: FollowUp): void {
  if (silent && closed_at === null) throw new AppError('FOLLOW_UP_SILENT', phrase('follow_up_hidden'))
}

function developmentOf(evaluation: Evaluation): FollowUpEvaluation['development'] {
  const { evaluation_id, split, num_cases, num_patients, metrics } = evaluation
  // Early versions stored no intervals for workflows.
  const intervals: Partial<Evaluation>['intervals'] = evaluation.intervals
  return { evaluation_id, split, num_cases, num_patients, metrics, intervals: intervals ?? {} }
}

function unknownFollowUp(): AppError {
  return new AppError('FOLLOW_UP_NOT_FOUND', phrase('follow_up_unknown'))
}
