import { randomUUID } from 'node:crypto'
import {
  estimateInWords,
  isTerminal,
  type Job,
  type JobEdit,
  type JobMessage,
  type JobResponse,
  LIMITS,
  networksInWords,
  networksOf,
  type TrainingConfig,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import type { Remember } from '../http/idempotency/idempotency.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import type { ModelsRepository } from '../models/models.repository.js'
import type { Roots } from '../security/roots.js'
import { resolvePaths } from './configuration/config-paths.js'
import { readStoredConfig } from './configuration/stored-config.js'
import type { TimeEstimates } from './estimate/time-estimates.js'
import { fold } from './events/fold.js'
import { type Start, startOf } from './fine-tuning.js'
import type { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import type { ActiveJobs } from './scheduling/active-jobs.js'
import { wasSubmitted } from './scheduling/job-run.js'
import type { Scheduler } from './scheduling/scheduler.js'
import type { FanOut } from './socket/fan-out.js'
import type { NewJob, TrainingRepository } from './training.repository.js'

type AcceptedJob = Pick<NewJob, 'job_name' | 'config' | 'epoch' | 'resumed_from' | 'fine_tuned_from'> &
  Partial<Pick<NewJob, 'job_id' | 'study_id' | 'study_position' | 'resumed_checkpoint'>>

/** Which training of a study a job is. */
export type PlaceInStudy = Required<Pick<NewJob, 'study_id' | 'study_position'>>

/** From which checkpoint a job goes on, absent: the last one; and the place of the training in its study. */
type Resumption = { readonly checkpoint?: string | undefined } & Partial<PlaceInStudy>

export interface TrainingServiceOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
  readonly roots: Pick<Roots, 'resolve' | 'resolveTable' | 'openCheckpoint' | 'folders'>
  readonly models: Pick<ModelsRepository, 'find'>
  readonly scheduler: Scheduler
  readonly fanOut: FanOut
  readonly jobs: Pick<ActiveJobs, 'get'>
  readonly reader: JobReader
  readonly estimates: Pick<TimeEstimates, 'of'>
}

/** The operations on training jobs. Each responds only after its change is durable. */
export class TrainingService {
  constructor(readonly options: TrainingServiceOptions) {}

  /**
   * The estimated time is said where the same was trained before: the tables are not read here.
   * @throws AppError for paths that are not there or not allowed, for a trained model that cannot be fine-tuned so (`startOf`), and
   *   QUEUE_FULL.
   */
  async start(
    config: TrainingConfig,
    jobName: string,
    remember: Remember,
    place?: PlaceInStudy,
  ): Promise<JobResponse> {
    const start = await this.check(config)
    const time = estimateInWords(await this.options.estimates.of(start.config, null))
    return this.#accept(
      { job_name: jobName, ...start, ...place, epoch: 0, resumed_from: null },
      remember,
      `The job was accepted: it trains ${networksInWords(networksOf(start.config))}${time === null ? '' : `; ${time}`}.`,
    )
  }

  /** The configuration with absolute paths, and the trained model that it starts from. @throws AppError as `start` does, but for QUEUE_FULL. */
  async check(config: TrainingConfig): Promise<Start> {
    return this.startOf(await resolvePaths(config, this.options.roots))
  }

  /** The trained model that a configuration with absolute paths starts from. @throws AppError as `startOf` does. */
  startOf(config: TrainingConfig): Promise<Start> {
    return startOf(config, this.options)
  }

  /** Accept a job of the service's own, whose tables lie in its run directory already. @throws AppError QUEUE_FULL. */
  begin(job: AcceptedJob & { job_id: string }, remember: Remember): Promise<JobResponse> {
    return this.#accept(job, remember, 'The job was accepted.')
  }

  /**
   * A new job that continues where `jobId` ended, or from another checkpoint of it.
   * @throws AppError JOB_NOT_RESUMABLE, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_NOT_RESUMABLE, INVALID_CONFIG when its configuration is not valid any more, or as start does.
   */
  async resume(
    jobId: string,
    remember: Remember,
    { checkpoint, ...place }: Resumption = {},
  ): Promise<JobResponse> {
    const { exchange, roots } = this.options
    const old = await this.options.reader.findNewest(jobId)
    if (old.status !== 'stopped' && old.status !== 'failed')
      throw new AppError(
        'JOB_NOT_RESUMABLE',
        `the job is ${old.status}; only a stopped or failed one can be resumed`,
      )
    if (checkpoint === undefined && !(await exchange(jobId).hasCheckpoint('last')))
      throw new AppError('JOB_NOT_RESUMABLE', 'the job left no checkpoint to continue from')
    const { epoch, files } = await exchange(jobId).verifyCheckpoint(checkpoint ?? 'last')
    if (!files.optimizer)
      throw new AppError(
        'CHECKPOINT_NOT_RESUMABLE',
        `checkpoint ${checkpoint ?? 'last'} has no state of the optimizer`,
      )
    if (await exchange(jobId).hasCheckpoint('best')) await exchange(jobId).verifyCheckpoint('best')
    const config = await resolvePaths(readStoredConfig(old.config), roots)
    return this.#accept(
      {
        job_name: old.job_name,
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

  /** Change what people write on a job, also while it runs. */
  async edit(jobId: string, edit: JobEdit): Promise<Job> {
    await this.options.repository.edit(jobId, edit)
    return this.options.reader.status(jobId)
  }

  /** Answers once the process has ended and its checkpoint is saved. @throws AppError JOB_NOT_RUNNING for a job that has ended. */
  async stop(jobId: string): Promise<JobResponse> {
    const { repository, jobs } = this.options
    const asked = await repository.transaction(async (transaction) => {
      const job = await this.options.reader.find(jobId, transaction)
      if (isTerminal(job.status)) throw new AppError('JOB_NOT_RUNNING', `the job is ${job.status} already`)
      if (!wasSubmitted(job)) return this.#dismiss(job, transaction)
      await repository.update(job, { request: 'stop' }, transaction)
      return null
    })
    if (asked) {
      this.options.scheduler.remove(jobId)
      this.options.fanOut.publish(jobId, [asked])
      return {
        job_id: jobId,
        status: 'stopped',
        message: 'The job was taken out of the queue; it never ran.',
      }
    }
    const run = jobs.get(jobId)
    await run?.ask('stop')
    await run?.ended
    const { status, reason } = await this.options.reader.find(jobId)
    if (!isTerminal(status))
      return {
        job_id: jobId,
        status,
        message: 'The stop is stored, and carried out when the service restarts.',
      }
    const message =
      status === 'stopped'
        ? 'The job was stopped.'
        : `The job ended by itself before it could be stopped: ${reason}`
    return { job_id: jobId, status, message }
  }

  /** End after this epoch. @throws AppError JOB_NOT_RUNNING for a job that waits or has ended. */
  async finish(jobId: string): Promise<JobResponse> {
    const { repository, jobs } = this.options
    const request = await repository.transaction(async (transaction) => {
      const job = await this.options.reader.find(jobId, transaction)
      if (job.status !== 'running')
        throw new AppError(
          'JOB_NOT_RUNNING',
          job.status === 'started' ? 'the job has not started yet' : `the job is ${job.status} already`,
        )
      if (job.request === null) await repository.update(job, { request: 'finish' }, transaction)
      return job.request ?? 'finish'
    })
    const asked = request === 'stop' ? request : await jobs.get(jobId)?.ask(request)
    if (asked === 'stop')
      return { job_id: jobId, status: 'running', message: 'The job is being stopped already.' }
    return {
      job_id: jobId,
      status: 'running',
      message: 'The job ends after this epoch and keeps its best model.',
    }
  }

  async #accept(job: AcceptedJob, remember: Remember, message: string): Promise<JobResponse> {
    const { repository, scheduler } = this.options
    const answer: JobResponse = { job_id: job.job_id ?? randomUUID(), status: 'started', message }
    await repository.transaction(async (transaction) => {
      if ((await repository.countQueued(undefined, transaction)) >= LIMITS.queued_jobs)
        throw new AppError('QUEUE_FULL', `${LIMITS.queued_jobs} jobs wait already`)
      if (job.resumed_from !== null) await this.options.reader.find(job.resumed_from, transaction)
      await this.#requireModel(job, transaction)
      const total_epochs = job.config.training.epochs
      await repository.insert(
        { ...job, job_id: answer.job_id, total_epochs, created_at: new Date().toISOString() },
        transaction,
      )
      await remember(transaction, answer)
    })
    scheduler.enqueue({ job_id: answer.job_id, config: job.config })
    return answer
  }

  /** The model may have been removed since it was found; from here on this job keeps it. */
  async #requireModel({ fine_tuned_from, resumed_from }: AcceptedJob, transaction: Transaction<Tables>) {
    const model = resumed_from === null ? fine_tuned_from?.model_id : null
    if (model && !(await this.options.models.find(model, transaction)))
      throw new AppError('MODEL_NOT_FOUND', `the model ${model} is not there any more`)
  }

  /** A job that waits ends at once and never runs. */
  async #dismiss(job: JobRecord, transaction: Transaction<Tables>): Promise<JobMessage | null> {
    const { changes, message } = fold(job, {
      type: 'completed',
      timestamp: new Date().toISOString(),
      attempt: job.attempt,
      status: 'stopped',
      reason: 'stopped before it started',
      epoch: job.epoch,
      metrics: {},
      best: null,
      best_checkpoint: null,
      duration_seconds: 0,
    })
    await this.options.repository.update(job, changes, transaction)
    if (message) await this.options.repository.append([message], transaction)
    return message
  }
}
