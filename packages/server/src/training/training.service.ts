import { randomUUID } from 'node:crypto'
import {
  after,
  type ErrorIssue,
  estimateInWords,
  hintOf,
  type Job,
  type JobEdit,
  type JobResponse,
  messageOf,
  networksInWords,
  networksOf,
  phrase,
  readDevice,
  statusPhrase,
  type TrainingConfig,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Connection } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import { settleAll } from '../database/settle-all.js'
import { AppError, refusal } from '../errors.js'
import type { Remember } from '../http/idempotency/idempotency.js'
import type { ModelsRepository } from '../models/models.repository.js'
import { fairShare } from '../people/fair-share.js'
import type { UsersRepository } from '../people/users.repository.js'
import type { OneNode } from '../ports/launcher-names.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import type { Roots } from '../security/roots.js'
import { resolvePaths } from './configuration/config-paths.js'
import { readStoredConfig } from './configuration/stored-config.js'
import type { TimeEstimates } from './estimate/time-estimates.js'
import { type Start, startOf } from './fine-tuning.js'
import type { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import type { Scheduler } from './scheduling/scheduler.js'
import type { NewJob, TrainingRepository } from './training.repository.js'

type AcceptedJob = Pick<NewJob, 'job_name' | 'config' | 'epoch' | 'resumed_from' | 'fine_tuned_from'> &
  Pick<JobRecord, 'owner'> &
  Partial<Pick<NewJob, 'job_id' | 'study_id' | 'study_position' | 'resumed_checkpoint'>>

/** Position of a job in its study. */
export type PlaceInStudy = Required<Pick<NewJob, 'study_id' | 'study_position'>>

/** A requested training, and its position in its study. */
export type AskedTraining = Pick<JobRecord, 'config' | 'job_name' | 'owner'> & Partial<PlaceInStudy>

/** Owner of the new job, the checkpoint from which it continues (absent: the last one), and the position of the training in its study. */
type Resumption = Pick<JobRecord, 'owner'> & {
  readonly checkpoint?: string | undefined
} & Partial<PlaceInStudy>

export interface TrainingServiceOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
  readonly roots: Pick<Roots, 'resolve' | 'resolveTable' | 'openCheckpoint' | 'folders'>
  readonly models: Pick<ModelsRepository, 'find'>
  /** The queue of accepted jobs. */
  readonly queue: Pick<Scheduler, 'enqueue'>
  /** Reason why all processes of a training run on one node, and the remedy; null: it may use several nodes. */
  readonly oneNode: OneNode | null
  /** Whether trainers read the data where they are. Otherwise they fetch the files that tables name. */
  readonly sharesFolder?: boolean
  readonly reader: JobReader
  readonly estimates: Pick<TimeEstimates, 'estimate'>
  /** Maximum number of waiting jobs. */
  readonly maxQueued: number
  readonly users: Pick<UsersRepository, 'queueQuota'>
}

/** Accepts training jobs, and stores user edits of them. Each operation responds only after its change is durable. */
export class TrainingService {
  constructor(readonly options: TrainingServiceOptions) {}

  /**
   * The response contains an estimated time if a comparable training has already run: the tables are not read here.
   * @throws AppError for paths that do not exist or are not allowed, for a trained model that cannot be fine-tuned in this way (`startOf`),
   * and QUEUE_FULL, QUOTA_EXCEEDED.
   */
  async start({ config, ...request }: AskedTraining, remember: Remember): Promise<JobResponse> {
    const start = await this.check(config)
    const time = estimateInWords(await this.options.estimates.estimate(start.config, null))
    return this.#accept(
      { ...request, ...start, epoch: 0, resumed_from: null },
      remember,
      `The job was accepted: it trains ${networksInWords(networksOf(start.config))}${time === null ? '' : `; ${time}`}.`,
    )
  }

  /**
   * The configuration with absolute paths, and the trained model from which it starts. @throws AppError like `start`, except QUEUE_FULL.
   */
  async check(config: TrainingConfig): Promise<Start> {
    return this.startOf(await resolvePaths(config, this.options.roots))
  }

  /**
   * The trained model from which a configuration with absolute paths starts.
   * @throws AppError like `startOf`, and INVALID_CONFIG for a device on several nodes that the launcher does not have.
   */
  async startOf(config: TrainingConfig): Promise<Start> {
    const { device } = config.training
    const { oneNode } = this.options
    if (oneNode && readDevice(device).nodes > 1) throw refusal([severalNodes(device, oneNode)])
    if (config.data.recipe != null && this.options.sharesFolder === false) throw refusal([unsharedRecipe()])
    return startOf(config, this.options)
  }

  /** Accept a job of the service itself, whose tables are already in its run directory. @throws AppError QUEUE_FULL. */
  begin(job: AcceptedJob & { job_id: string }, remember: Remember): Promise<JobResponse> {
    return this.#accept(job, remember, 'The job was accepted.')
  }

  /**
   * A new job that continues where `jobId` ended, or from another checkpoint of it.
   * @throws AppError JOB_NOT_RESUMABLE, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_NOT_RESUMABLE, INVALID_CONFIG when its
   * configuration is not valid any more, or the errors of `start`.
   */
  async resume(
    jobId: string,
    remember: Remember,
    { checkpoint, owner, ...place }: Resumption,
  ): Promise<JobResponse> {
    const { exchange, roots } = this.options
    const old = await this.options.reader.findNewest(jobId)
    if (old.status !== 'stopped' && old.status !== 'failed')
      throw new AppError(
        'JOB_NOT_RESUMABLE',
        phrase('job_not_resumable', { status: statusPhrase(old.status) }),
      )
    if (checkpoint === undefined && !(await exchange(jobId).hasCheckpoint('last')))
      throw new AppError('JOB_NOT_RESUMABLE', phrase('job_without_checkpoint'))
    const { epoch, files } = await exchange(jobId).verifyCheckpoint(checkpoint ?? 'last')
    if (!files.optimizer)
      throw new AppError(
        'CHECKPOINT_NOT_RESUMABLE',
        phrase('checkpoint_without_optimizer', { checkpoint: checkpoint ?? 'last' }),
      )
    if (await exchange(jobId).hasCheckpoint('best')) await exchange(jobId).verifyCheckpoint('best')
    const config = await resolvePaths(readStoredConfig(old.config), roots)
    return this.#accept(
      {
        job_name: old.job_name,
        owner,
        ...place,
        config,
        epoch,
        resumed_from: jobId,
        resumed_checkpoint: checkpoint ?? null,
        fine_tuned_from: old.fine_tuned_from,
      },
      remember,
      `The job continues ${jobId} from ${checkpoint === undefined ? 'its last checkpoint' : `checkpoint ${checkpoint}, epoch ${epoch}`}.`,
    )
  }

  /** Store user edits of a job, even while it runs. */
  async edit(jobId: string, edit: JobEdit): Promise<Job> {
    await this.options.repository.edit(jobId, edit)
    return this.options.reader.status(jobId)
  }

  async #accept(job: AcceptedJob, remember: Remember, message: string): Promise<JobResponse> {
    const { repository, queue, maxQueued } = this.options
    const answer: JobResponse = { job_id: job.job_id ?? randomUUID(), status: 'started', message }
    await repository.transaction(async (transaction) => {
      const total_epochs = job.config.training.epochs
      const full = repository.isQueueFull(maxQueued, transaction)
      // The checks are sent before the row, and both together: a refused job is rolled back.
      await settleAll([
        full,
        this.#requireQuota(job.owner, transaction),
        this.#requireResumed(job, transaction),
        this.#requireModel(job, transaction),
        repository.insert(
          { ...job, job_id: answer.job_id, total_epochs, created_at: new Date().toISOString() },
          transaction,
        ),
        remember(transaction, answer),
      ])
      if (await full) throw queueFull(maxQueued)
    })
    queue.enqueue({ job_id: answer.job_id, config: job.config, owner: job.owner })
    return answer
  }

  /** Reason why this user cannot queue another job now, as `start` would report it; null: there is none. */
  async queueRefusal(owner: string | null): Promise<AppError | null> {
    const { repository, maxQueued } = this.options
    if (await repository.isQueueFull(maxQueued)) return queueFull(maxQueued)
    return this.#quotaRefusal(owner)
  }

  async #quotaRefusal(owner: string | null, connection?: Connection): Promise<AppError | null> {
    const { maxQueued, users } = this.options
    const quota = owner === null ? null : await users.queueQuota(owner, fairShare(maxQueued), connection)
    if (quota === null || quota.waiting < quota.most) return null
    const reached = phrase('quota_reached', { user: owner ?? '', count: quota.most })
    const share = after('semicolon', phrase('share_without_quota', { share: quota.most, limit: maxQueued }))
    return new AppError('QUOTA_EXCEEDED', quota.isOwn ? reached : [reached, share])
  }

  /** @throws AppError QUOTA_EXCEEDED */
  async #requireQuota(owner: string | null, transaction: Transaction<Tables>): Promise<void> {
    const refusal = await this.#quotaRefusal(owner, transaction)
    if (refusal) throw refusal
  }

  async #requireResumed({ resumed_from }: AcceptedJob, transaction: Transaction<Tables>): Promise<void> {
    if (resumed_from !== null) await this.options.reader.find(resumed_from, transaction)
  }

  /** The model may have been removed since it was found; from here on, this job prevents its removal. */
  async #requireModel({ fine_tuned_from, resumed_from }: AcceptedJob, transaction: Transaction<Tables>) {
    const model = resumed_from === null ? fine_tuned_from?.model_id : null
    if (model && !(await this.options.models.find(model, transaction)))
      throw new AppError('MODEL_NOT_FOUND', phrase('model_was_removed', { model }))
  }
}

function queueFull(maxQueued: number): AppError {
  return new AppError('QUEUE_FULL', phrase('queue_limit_reached', { count: maxQueued }))
}

/** A node without the folder would have to fetch every file before the recipe shows which ones it reads. */
function unsharedRecipe(): ErrorIssue {
  return {
    path: 'config.data.recipe',
    code: 'INVALID_CONFIG',
    ...messageOf(phrase('recipe_without_folder')),
    ...hintOf(phrase('folder_or_no_recipe')),
  }
}

function severalNodes(device: string, { because, remedy }: OneNode): ErrorIssue {
  return {
    path: 'config.training.device',
    code: 'DEVICE_UNAVAILABLE',
    ...messageOf(phrase('several_nodes_impossible', { device, reason: [because] })),
    ...hintOf(remedy),
  }
}
