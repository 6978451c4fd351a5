import {
  type Checkpoint,
  isTerminal,
  type Job,
  type JobMessage,
  type JobStatus,
  type JobSummary,
  type LogChunk,
  type MetricSeries,
  type QueuePause,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { readPageToken, toPage } from '../http/pagination.js'
import type { RunExchanges } from '../launchers/exchange/run-exchange.js'
import type { EventIngest } from './events/event-ingest.js'
import type { JobRecord } from './job-record.js'
import { type CurveRequest, metricSeries } from './metrics/metric-series.js'
import type { MetricSources } from './metrics/metric-sources.js'
import type { JobSummaryRecord, TrainingRepository } from './training.repository.js'

export interface JobReaderOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
  readonly ingest: Pick<EventIngest, 'unstoredFailure'>
  /** Why no job is started at the moment. */
  readonly pause: () => QueuePause | null
  readonly metrics: Omit<MetricSources, 'repository'>
}

/** As the routes of curves give it. */
type CurveQuery = Omit<CurveRequest, 'lineage'> & { readonly lineage: 'true' | 'false' }

/** What is known of training jobs. @throws AppError JOB_NOT_FOUND for an unknown job. */
export class JobReader {
  constructor(readonly options: JobReaderOptions) {}

  async find(jobId: string, connection?: Transaction<Tables>): Promise<JobRecord> {
    const job = await this.options.repository.find(jobId, connection)
    if (!job) throw new AppError('JOB_NOT_FOUND', `there is no job with the id "${jobId.slice(0, 100)}"`)
    return job
  }

  /** As it is shown: with an end that the database cannot store yet. */
  async findNewest(jobId: string): Promise<JobRecord> {
    return this.#newest(await this.find(jobId))
  }

  async status(jobId: string): Promise<Job> {
    return this.#describe(await this.findNewest(jobId))
  }

  async list(
    size: number,
    token: string | undefined,
    status?: JobStatus,
  ): Promise<{ jobs: JobSummary[]; next_page_token: string | null }> {
    const rows = await this.options.repository.page(size + 1, readPageToken(token) ?? null, status)
    const page = toPage(rows, size)
    return {
      jobs: await this.#summaries(page.items.map((row) => this.#newest(row))),
      next_page_token: page.next_page_token,
    }
  }

  async logs(jobId: string, offset: number, limit: number): Promise<z.infer<typeof LogChunk>> {
    const job = await this.find(jobId)
    return { job_id: jobId, ...(await this.options.exchange(job.job_id).log(offset, limit)) }
  }

  async metrics(jobId: string, { lineage, ...request }: CurveQuery): Promise<MetricSeries> {
    const { repository, metrics } = this.options
    const asked = { ...request, lineage: lineage === 'true' }
    return metricSeries({ repository, ...metrics }, await this.find(jobId), asked)
  }

  /** One after the other, so that many curves do not hold up what else is asked meanwhile. */
  async metricsOf(jobIds: readonly string[], request: CurveQuery): Promise<{ curves: MetricSeries[] }> {
    const curves: MetricSeries[] = []
    for (const jobId of jobIds) curves.push(await this.metrics(jobId, request))
    return { curves }
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

  /** One look at the queue for all of them: between two that wait, everything that waits stands on the page. */
  async #summaries(rows: readonly JobSummaryRecord[]): Promise<JobSummary[]> {
    const { repository, exchange } = this.options
    const waiting = rows.filter(({ status }) => status === 'started')
    const first = waiting.at(-1)
    const ahead = first ? await repository.countQueued(first.number) : 0
    return rows.map((row) => {
      const { number: _, request, ...job } = row
      const place = waiting.indexOf(row)
      return {
        ...job,
        reason: job.reason ?? endingOf(row) ?? this.#waitingFor(row),
        queue_position: place < 0 ? null : ahead + waiting.length - 1 - place,
        run_dir: exchange(job.job_id).localPath(),
      }
    })
  }

  /** With the end of a failed trainer also while that cannot be stored. */
  #newest<Stored extends JobSummaryRecord>(stored: Stored): Stored {
    const failed = isTerminal(stored.status) ? undefined : this.options.ingest.unstoredFailure(stored.job_id)
    if (failed?.attempt !== stored.attempt) return stored
    const { status, phase, error, epoch, eta_seconds, stalled, ended_at } = failed
    return { ...stored, status, phase, error, epoch, eta_seconds, stalled, ended_at }
  }

  #waitingFor({ status }: Pick<JobRecord, 'status'>): string | null {
    const pause = status === 'started' ? this.options.pause() : null
    return pause && `waits: ${pause.message}. ${pause.remedy} Tried again at ${pause.retry_at}`
  }

  async #describe(record: JobRecord): Promise<Job> {
    const {
      number,
      request: _request,
      handle: _handle,
      places: _places,
      events_offset: _offset,
      last_seq: _seq,
      study_position: _position,
      ...job
    } = record
    const { repository } = this.options
    const exchange = this.options.exchange(job.job_id)
    return {
      ...job,
      reason: job.reason ?? endingOf(record) ?? this.#waitingFor(record),
      queue_position: job.status === 'started' ? await repository.countQueued(number) : null,
      device: job.prepared?.device ?? null,
      resumable:
        (job.status === 'stopped' || job.status === 'failed') && (await exchange.hasCheckpoint('last')),
      run_dir: exchange.localPath(),
    }
  }
}

/** Why a job that was asked to end still runs. */
function endingOf({ request, status }: Pick<JobRecord, 'request' | 'status'>): string | null {
  if (request === null || isTerminal(status)) return null
  return request === 'stop' ? 'stopping' : 'ends after this epoch'
}
