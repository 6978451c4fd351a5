import {
  fieldsOf,
  isTerminal,
  type Job,
  type JobListQuery,
  type JobMessage,
  type JobSummary,
  type ListedJob,
  type LogChunk,
  type LogMatches,
  type Phrase,
  phrase,
  type QueuePause,
  type RouteRequest,
  type RouteResponse,
  type TagsInUse,
  textOf,
  type Wording,
} from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { listJobFiles, openJobFile } from '../files/job-files.js'
import type { Bytes } from '../http/bind.js'
import { decodePosition, encodePosition } from '../http/keyset-pagination.js'
import { readOffset, tokenAfter } from '../http/pagination.js'
import type { ExhaustedQuotas } from '../people/exhausted-quotas.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import { systemFault } from '../system-fault.js'
import type { EventIngest } from './events/event-ingest.js'
import type { JobListRepository } from './job-list.repository.js'
import type { JobRecord } from './job-record.js'
import { findIn, tailOf } from './log-view.js'
import type { InLists, JobSummaryRecord } from './stored-job.js'
import type { TrainingRepository } from './training.repository.js'

export interface JobReaderOptions {
  readonly repository: TrainingRepository
  readonly lists: JobListRepository
  readonly exchange: RunExchanges
  readonly ingest: Pick<EventIngest, 'unstoredFailure'>
  /** Reason why no job is started at the moment. */
  readonly pause: () => QueuePause | null
  readonly quotas: Pick<ExhaustedQuotas, 'reached'>
}

/** Maximum number of running jobs in the list of the newest ones. */
const MAX_RUNNING_SHOWN = 1000

type FilesQuery = RouteRequest<'listJobFiles'>['query']
type FileQuery = RouteRequest<'getJobFile'>['query']

export interface JobPage {
  readonly jobs: ListedJob[]
  readonly next_page_token: string | null
  readonly total: number
}

/** Reads training jobs. @throws AppError JOB_NOT_FOUND for an unknown job. */
export class JobReader {
  constructor(readonly options: JobReaderOptions) {}

  async find(jobId: string, connection?: Transaction<Tables>): Promise<JobRecord> {
    const job = await this.options.repository.find(jobId, connection)
    if (!job) throw notFound(jobId)
    return job
  }

  /** The job as it is shown: with an end that the database cannot store yet. */
  async findNewest(jobId: string): Promise<JobRecord> {
    return this.#newest(await this.find(jobId))
  }

  async status(jobId: string): Promise<Job> {
    const found = await this.options.repository.findCommitted(jobId)
    if (!found) throw notFound(jobId)
    const job = this.#newest(found.job)
    return this.#describe(
      job,
      job.status === 'started' ? found.position : null,
      await this.#waitsForQuota([job]),
    )
  }

  async list({ view, page_size, page_token, order_by, order, ...filter }: JobListQuery): Promise<JobPage> {
    const { lists } = this.options
    const after = decodePosition(page_token, [filter, order_by, order])
    const found = await lists.places(filter, { order_by, order }, page_size + 1, after)
    const page = found.slice(0, page_size)
    const last = found.length > page_size ? page.at(-1) : undefined
    const numbers = page.map(({ number }) => number)
    return {
      jobs: await (view === 'full' ? this.#records(numbers) : this.#summaries(numbers)),
      next_page_token: last ? encodePosition(last, [filter, order_by, order]) : null,
      total: await lists.count(filter),
    }
  }

  /** The newest `count` jobs that are not archived, and all running jobs. */
  async newest(count: number): Promise<JobSummary[]> {
    const { lists } = this.options
    const order = { order_by: 'created_at', order: 'desc' } as const
    const newest = await lists.places({ archived: 'false' }, order, count)
    const running = await lists.places({ archived: 'all', status: ['running'] }, order, MAX_RUNNING_SHOWN)
    return this.#summaries([...new Set([...newest, ...running].map(({ number }) => number))])
  }

  /** The existing ones of these jobs. */
  async summaries(jobIds: readonly string[]): Promise<JobSummary[]> {
    return this.#summaries(await this.options.lists.numbers(jobIds))
  }

  async tags(): Promise<TagsInUse> {
    return { tags: await this.options.lists.tags() }
  }

  async logs(
    jobId: string,
    {
      offset,
      limit,
      tail,
    }: { readonly offset: number; readonly limit: number; readonly tail?: number | undefined },
  ): Promise<z.infer<typeof LogChunk>> {
    const exchange = this.options.exchange((await this.find(jobId)).job_id)
    const piece = tail === undefined ? await exchange.log(offset, limit) : await tailOf(exchange, tail)
    return { job_id: jobId, ...piece }
  }

  async findInLogs(jobId: string, query: Parameters<typeof findIn>[1]): Promise<LogMatches> {
    const { job_id } = await this.find(jobId)
    return { job_id, ...(await findIn(this.options.exchange(job_id), query)) }
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

  async checkpoints(
    jobId: string,
    size: number,
    token: string | undefined,
  ): Promise<RouteResponse<'listJobCheckpoints'>> {
    const { job_id } = await this.find(jobId)
    const offset = readOffset(token)
    const { checkpoints, total } = await this.options.exchange(job_id).checkpoints(offset, size)
    return { checkpoints, next_page_token: tokenAfter(offset, size, total) }
  }

  async files(jobId: string, { page_size, page_token, under, checkpoints }: FilesQuery) {
    const { job_id } = await this.find(jobId)
    const offset = readOffset(page_token)
    const run = this.options.exchange(job_id).localPath()
    const files = await listJobFiles(run, under, { checkpoints: checkpoints === 'true' })
    return {
      files: files.slice(offset, offset + page_size),
      next_page_token: tokenAfter(offset, page_size, files.length),
    }
  }

  /** Also @throws AppError RUN_FILE_NOT_FOUND. */
  async file(jobId: string, path: string, { checkpoints, download }: FileQuery): Promise<Bytes> {
    const { job_id } = await this.find(jobId)
    const chosen = { checkpoints: checkpoints === 'true', download: download === 'true' }
    return openJobFile(this.options.exchange(job_id).localPath(), path, chosen)
  }

  async #summaries(numbers: readonly number[]): Promise<JobSummary[]> {
    const rows = (await this.options.lists.summaries(numbers)).map((row) => this.#newest(row))
    const positions = await this.#queuePositions(rows)
    const quotas = await this.#waitsForQuota(rows)
    return rows.map((row) => {
      const { number, request: _, ...job } = row
      return {
        ...job,
        ...this.#reasonOf(row, quotas),
        queue_position: positions.get(number) ?? null,
        run_dir: this.options.exchange(job.job_id).localPath(),
      }
    })
  }

  async #records(numbers: readonly number[]): Promise<ListedJob[]> {
    const rows = (await this.options.lists.records(numbers)).map((row) => this.#newest(row))
    const positions = await this.#queuePositions(rows)
    const quotas = await this.#waitsForQuota(rows)
    return Promise.all(
      rows.map(async ({ has_note, settings, ...record }) => ({
        ...(await this.#describe(record, positions.get(record.number) ?? null, quotas)),
        has_note,
        settings,
      })),
    )
  }

  /** Number of a waiting job → its position in the queue. One query of the queue, which is ordered by number. */
  async #queuePositions(rows: readonly Pick<JobRecord, 'number' | 'status'>[]): Promise<Map<number, number>> {
    if (rows.every(({ status }) => status !== 'started')) return new Map()
    const queue = await this.options.repository.queued()
    return new Map(queue.map((number, place) => [number, place + 1]))
  }

  /** Adds the end of a failed trainer even while it cannot be stored. */
  #newest<Stored extends Omit<JobSummaryRecord, keyof InLists>>(stored: Stored): Stored {
    const failed = isTerminal(stored.status) ? undefined : this.options.ingest.unstoredFailure(stored.job_id)
    if (failed?.attempt !== stored.attempt) return stored
    const { status, phase, error, epoch, eta_seconds, stalled, ended_at } = failed
    return { ...stored, status, phase, error, epoch, eta_seconds, stalled, ended_at }
  }

  /** Owner → number of jobs that they may run, for owners whose jobs wait only because of the quota. */
  async #waitsForQuota(rows: readonly Pick<JobRecord, 'status' | 'owner'>[]): Promise<Map<string, number>> {
    const owners = rows.flatMap(({ status, owner }) =>
      status === 'started' && owner !== null ? [owner] : [],
    )
    return owners.length === 0 ? new Map() : this.options.quotas.reached([...new Set(owners)])
  }

  #reasonOf(
    record: Pick<JobRecord, 'status' | 'owner' | 'reason' | 'reason_phrases' | 'request'>,
    quotas: ReadonlyMap<string, number>,
  ): Pick<Job, 'reason' | 'reason_phrases'> {
    if (record.reason !== null) return { reason: record.reason, reason_phrases: record.reason_phrases }
    const text = endingOf(record) ?? this.#waitingFor(record, quotas)
    return text ? fieldsOf('reason', textOf(text)) : { reason: null }
  }

  #waitingFor(
    { status, owner }: Pick<JobRecord, 'status' | 'owner'>,
    quotas: ReadonlyMap<string, number>,
  ): Wording | null {
    if (status !== 'started') return null
    const pause = this.options.pause()
    const quota = owner === null ? undefined : quotas.get(owner)
    if (!pause && quota !== undefined) return phrase('quota_of_running', { user: owner ?? '', count: quota })
    if (!pause) return null
    const { message, message_phrases, remedy, remedy_phrases, retry_at } = pause
    return phrase('waiting_for_repair', {
      message: message_phrases ?? message,
      remedy: remedy_phrases ?? remedy,
      time: retry_at,
    })
  }

  async #describe(
    record: JobRecord,
    queue_position: number | null,
    quotas: ReadonlyMap<string, number>,
  ): Promise<Job> {
    const {
      number: _number,
      request: _request,
      handle: _handle,
      places: _places,
      events_offset: _offset,
      last_seq: _seq,
      study_position: _position,
      ...job
    } = record
    const exchange = this.options.exchange(job.job_id)
    return {
      ...job,
      ...this.#reasonOf(record, quotas),
      queue_position,
      device: job.prepared?.device ?? null,
      resumable:
        (job.status === 'stopped' || job.status === 'failed') &&
        (await exchange.hasCheckpoint('last').catch(unlessOfMachine)),
      run_dir: exchange.localPath(),
    }
  }
}

function notFound(jobId: string): AppError {
  return new AppError('JOB_NOT_FOUND', phrase('job_unknown', { id: jobId.slice(0, 100) }))
}

/** Reason why a job that is to end is still running. */
function endingOf({ request, status }: Pick<JobRecord, 'request' | 'status'>): Phrase | null {
  if (request === null || isTerminal(status)) return null
  return phrase(request === 'stop' ? 'job_stopping' : 'job_finishing')
}

/** A status is shown even if the files of its run cannot be read; a request to resume reports the reason. */
function unlessOfMachine(error: unknown): false {
  if (systemFault(error)) return false
  throw error
}
