import {
  fieldsOf,
  isTerminal,
  type JobMessage,
  type JobResponse,
  phrase,
  statusPhrase,
  textOf,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import type { FanOut } from '../live/fan-out.js'
import { reduceEvent } from './events/reduce-event.js'
import type { JobReader } from './job-reader.js'
import type { JobRecord } from './job-record.js'
import type { ActiveJobs } from './scheduling/active-jobs.js'
import { wasSubmitted } from './scheduling/job-run.js'
import type { Scheduler } from './scheduling/scheduler.js'
import type { TrainingRepository } from './training.repository.js'

export interface JobControlOptions {
  readonly repository: TrainingRepository
  readonly scheduler: Pick<Scheduler, 'remove'>
  readonly fanOut: Pick<FanOut, 'publish'>
  readonly jobs: Pick<ActiveJobs, 'get'>
  readonly reader: Pick<JobReader, 'find'>
}

/** Ends jobs, which only the process that follows their trainers can do. Each operation responds only after its change is durable. */
export class JobControl {
  constructor(readonly options: JobControlOptions) {}

  /** Responds once the process has ended and its checkpoint is saved. @throws AppError JOB_NOT_RUNNING for a job that has ended. */
  async stop(jobId: string): Promise<JobResponse> {
    const { repository, jobs } = this.options
    const notice = await repository.transaction(async (transaction) => {
      const job = await this.options.reader.find(jobId, transaction)
      if (isTerminal(job.status))
        throw new AppError('JOB_NOT_RUNNING', phrase('job_is_already', { status: statusPhrase(job.status) }))
      if (!wasSubmitted(job)) return this.#dismiss(job, transaction)
      await repository.update(job, { request: 'stop' }, transaction)
      return null
    })
    if (notice) {
      this.options.scheduler.remove(jobId)
      this.options.fanOut.publish(jobId, [notice])
      return {
        job_id: jobId,
        status: 'stopped',
        message: 'The job was removed from the queue before it started.',
      }
    }
    const run = jobs.get(jobId)
    await run?.sendRequest('stop')
    await run?.ended
    const { status, reason } = await this.options.reader.find(jobId)
    if (!isTerminal(status))
      return {
        job_id: jobId,
        status,
        message: 'The request to stop is stored and will be carried out when the service restarts.',
      }
    const message =
      status === 'stopped' ? 'The job was stopped.' : `The job ended before it could be stopped: ${reason}`
    return { job_id: jobId, status, message }
  }

  /** End after this epoch. @throws AppError JOB_NOT_RUNNING for a job that is waiting or has ended. */
  async finish(jobId: string): Promise<JobResponse> {
    const { repository, jobs } = this.options
    const request = await repository.transaction(async (transaction) => {
      const job = await this.options.reader.find(jobId, transaction)
      if (job.status !== 'running')
        throw new AppError(
          'JOB_NOT_RUNNING',
          job.status === 'started'
            ? phrase('job_not_started')
            : phrase('job_is_already', { status: statusPhrase(job.status) }),
        )
      if (job.request === null) await repository.update(job, { request: 'finish' }, transaction)
      return job.request ?? 'finish'
    })
    const accepted = request === 'stop' ? request : await jobs.get(jobId)?.sendRequest(request)
    if (accepted === 'stop')
      return { job_id: jobId, status: 'running', message: 'The job is already being stopped.' }
    return {
      job_id: jobId,
      status: 'running',
      message: 'The job finishes after the current epoch; its best model is registered.',
    }
  }

  /** A waiting job ends at once and never runs. */
  async #dismiss(job: JobRecord, transaction: Transaction<Tables>): Promise<JobMessage | null> {
    const { changes, message } = reduceEvent(job, {
      type: 'completed',
      timestamp: new Date().toISOString(),
      attempt: job.attempt,
      status: 'stopped',
      ...fieldsOf('reason', textOf(phrase('stopped_before_start'))),
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
