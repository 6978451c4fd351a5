import type { JobMessage } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { KeyedMutex } from '../../concurrency/keyed-mutex.js'
import type { TrainingRepository } from '../training.repository.js'
import { bucketOf, finestLevel, foldBuckets } from './metric-levels.js'
import type { MetricLevelsRepository } from './metric-levels.repository.js'

/** The newest messages of a job whose progress is replayed to who comes back: 50 seconds of a training at its quickest. */
export const RECENT_MESSAGES = 500
const BATCH = 500
const JOBS_AT_A_TIME = 100

export interface MetricFolderOptions {
  readonly repository: TrainingRepository
  readonly levels: MetricLevelsRepository
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Turns the older progress of jobs into levels of their curves and deletes it: a batch is one transaction, so that each point counts
 * exactly once. The newest messages stay as they were sent, and so does the newest progress of all.
 */
export class MetricFolder {
  readonly #turns = new KeyedMutex()
  /** By job, the seq from which on there is something to fold. */
  readonly #due = new Map<string, number>()
  #closed = false

  constructor(private readonly options: MetricFolderOptions) {}

  /** Messages were stored. */
  grown(jobId: string, messages: readonly Pick<JobMessage, 'seq'>[]): void {
    const head = messages.at(-1)?.seq ?? 0
    if (head < (this.#due.get(jobId) ?? 2 * RECENT_MESSAGES)) return
    this.#due.set(jobId, head + RECENT_MESSAGES)
    this.fold(jobId).catch((error) =>
      this.options.log.warn({ err: error, job_id: jobId }, 'the curves of a job could not be folded'),
    )
  }

  /** Nothing more is folded after a service of an older version; in the background, job by job. */
  async catchUp(): Promise<void> {
    const { levels } = this.options
    for (let jobs = await levels.behind(JOBS_AT_A_TIME); jobs.length > 0; ) {
      for (const jobId of jobs) {
        if (this.#closed) return
        await this.fold(jobId)
        await levels.caughtUp(jobId)
      }
      jobs = await levels.behind(JOBS_AT_A_TIME)
    }
  }

  close(): void {
    this.#closed = true
  }

  /** Fold all progress of a job but the newest messages. */
  fold(jobId: string): Promise<void> {
    return this.during(jobId, async () => {
      while (!this.#closed && (await this.#foldBatch(jobId))) await new Promise(setImmediate)
    })
  }

  /** Levels and messages stay in step while `work` reads them. */
  during<Result>(jobId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(jobId, work)
  }

  /** @returns whether there may be more. */
  async #foldBatch(jobId: string): Promise<boolean> {
    const { repository, levels } = this.options
    return levels.withoutWaiting(async (transaction) => {
      const head = await repository.lastSeq(jobId, transaction)
      const before = await levels.find(jobId, transaction)
      const upTo = head - RECENT_MESSAGES
      if (upTo <= before.folded_seq) return false
      const range = { since: before.folded_seq, upTo, limit: BATCH, only: 'progress' as const }
      const progress = await repository.messages(jobId, range, transaction)
      const full = progress.length === BATCH
      const folded_seq = full ? (progress.at(-1)?.seq ?? upTo) : upTo
      const newest = await repository.newestProgress(jobId, head, transaction)
      const kept_seq = Math.max(before.kept_seq, Math.min(newest?.seq ?? 0, folded_seq + 1))
      const { complete, ...after } = foldBuckets(
        before,
        progress.map(({ message }) => bucketOf(JSON.parse(message))),
      )
      const finest = finestLevel(after.points)
      await levels.add(
        jobId,
        complete.filter(({ level }) => level >= finest),
        transaction,
      )
      if (finest > finestLevel(before.points)) await levels.dropBelow(jobId, finest, transaction)
      await levels.prune(jobId, { from: before.kept_seq, to: kept_seq }, transaction)
      await levels.save(jobId, { ...after, folded_seq, kept_seq }, transaction)
      return full
    })
  }
}
