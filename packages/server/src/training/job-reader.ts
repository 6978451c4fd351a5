import {
  type Checkpoint,
  isTerminal,
  type Job,
  type JobMessage,
  type JobStatus,
  type LogChunk,
  type MetricSeries,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { readPageToken, toPage } from '../http/pagination.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import { metricSeries } from './events/metric-series.js'
import type { JobRecord } from './job-record.js'
import type { TrainingRepository } from './training.repository.js'

export interface JobReaderOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
}

/** What is known of training jobs. @throws AppError JOB_NOT_FOUND for an unknown job. */
export class JobReader {
  constructor(readonly options: JobReaderOptions) {}

  async find(jobId: string, connection?: Transaction<Tables>): Promise<JobRecord> {
    const job = await this.options.repository.find(jobId, connection)
    if (!job) throw new AppError('JOB_NOT_FOUND', 'there is no job with this id')
    return job
  }

  async status(jobId: string): Promise<Job> {
    return this.#describe(await this.find(jobId))
  }

  async list(
    size: number,
    token: string | undefined,
    status?: JobStatus,
  ): Promise<{ jobs: Job[]; next_page_token: string | null }> {
    const rows = await this.options.repository.page(size + 1, readPageToken(token) ?? null, status)
    const page = toPage(rows, size)
    return {
      jobs: await Promise.all(page.items.map((row) => this.#describe(row))),
      next_page_token: page.next_page_token,
    }
  }

  async logs(jobId: string, offset: number, limit: number): Promise<z.infer<typeof LogChunk>> {
    const job = await this.find(jobId)
    return { job_id: jobId, ...(await this.options.exchange(job.job_id).log(offset, limit)) }
  }

  async metrics(jobId: string, buckets: number): Promise<z.infer<typeof MetricSeries>> {
    return metricSeries(this.options.repository, await this.find(jobId), buckets)
  }

  async events(
    jobId: string,
    since: number,
    limit: number,
  ): Promise<{ events: JobMessage[]; next_since: number }> {
    await this.find(jobId)
    const rows = await this.options.repository.messages(jobId, { since, limit })
    return { events: rows.map(({ message }) => JSON.parse(message)), next_since: rows.at(-1)?.seq ?? since }
  }

  async checkpoints(jobId: string): Promise<{ checkpoints: Checkpoint[] }> {
    const { job_id } = await this.find(jobId)
    return { checkpoints: await this.options.exchange(job_id).checkpoints() }
  }

  async #describe(record: JobRecord): Promise<Job> {
    const { number, request, handle: _handle, events_offset: _offset, last_seq: _seq, ...job } = record
    const { repository } = this.options
    const exchange = this.options.exchange(job.job_id)
    const ending =
      request === null || isTerminal(job.status)
        ? null
        : request === 'stop'
          ? 'stopping'
          : 'ends after this epoch'
    return {
      ...job,
      reason: job.reason ?? ending,
      queue_position: job.status === 'started' ? await repository.countQueued(number) : null,
      device: job.prepared?.device ?? null,
      resumable:
        (job.status === 'stopped' || job.status === 'failed') && (await exchange.hasCheckpoint('last')),
      run_dir: exchange.localPath(),
    }
  }
}
