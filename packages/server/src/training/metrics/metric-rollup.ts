import type { JobMessage } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { KeyedMutex } from '../../concurrency/keyed-mutex.js'
import { sleep } from '../../concurrency/sleep.js'
import { settleAll } from '../../database/settle-all.js'
import type { TrainingRepository } from '../training.repository.js'
import { addBuckets, bucketOf, finestLevel } from './metric-levels.js'
import type { MetricLevelsRepository } from './metric-levels.repository.js'

/** Number of the newest messages of a job whose progress is replayed to a returning follower: 50 seconds of a fast training. */
export const RECENT_MESSAGES = 500
const BATCH = 250
const JOBS_AT_A_TIME = 100
/** Pause after each job, as a multiple of its time: at most a fifth of the time is spent on levels. */
const REST = 4
const LONGEST_REST_MILLISECONDS = 1000

export interface MetricRollupOptions {
  readonly repository: TrainingRepository
  readonly levels: MetricLevelsRepository
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Aggregates the older progress of jobs into levels of their curves and deletes it: a batch is one transaction, so that each point counts
 * exactly once. The newest messages, and always the newest progress, are kept unchanged.
 */
export class MetricRollup {
  readonly #rollups = new KeyedMutex()
  readonly #background = new KeyedMutex()
  /** By job, the seq from which there is progress to aggregate. */
  readonly #due = new Map<string, number>()
  #closed = false

  constructor(private readonly options: MetricRollupOptions) {}

  /** Called when messages were stored. */
  grown(jobId: string, messages: readonly Pick<JobMessage, 'seq'>[]): void {
    const head = messages.at(-1)?.seq ?? 0
    if (head < (this.#due.get(jobId) ?? 2 * RECENT_MESSAGES)) return
    this.#due.set(jobId, head + RECENT_MESSAGES)
    this.#rollUpInBackground(jobId).catch((error) =>
      this.options.log.warn({ err: error, job_id: jobId }, 'the curves of a job could not be aggregated'),
    )
  }

  /** One job after the other, with a pause after each: trainings that started together grow together, and nobody waits for their levels. */
  #rollUpInBackground(jobId: string): Promise<void> {
    return this.#background.run('rollup', async () => {
      const began = performance.now()
      await this.rollUp(jobId)
      const took = performance.now() - began
      if (!this.#closed) await sleep(Math.min(LONGEST_REST_MILLISECONDS, REST * took))
    })
  }

  /** Aggregate the progress of jobs from an older version of the service, in the background, job by job. */
  async catchUp(): Promise<void> {
    const { levels } = this.options
    for (let jobs = await levels.behind(JOBS_AT_A_TIME); jobs.length > 0; ) {
      for (const jobId of jobs) {
        if (this.#closed) return
        await this.rollUp(jobId)
        await levels.caughtUp(jobId)
      }
      jobs = await levels.behind(JOBS_AT_A_TIME)
    }
  }

  close(): void {
    this.#closed = true
  }

  /** Aggregate all progress of a job except the newest messages. */
  rollUp(jobId: string): Promise<void> {
    return this.during(jobId, async () => {
      while (!this.#closed && (await this.#rollUpBatch(jobId))) await new Promise(setImmediate)
    })
  }

  /** Levels and messages stay consistent while `work` reads them. */
  during<Result>(jobId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#rollups.run(jobId, work)
  }

  /**
   * No other code changes the rows read here, so the transaction, for which everything else waits, only writes, and the reads wait for no
   * transaction.
   * @returns true if there may be more.
   */
  async #rollUpBatch(jobId: string): Promise<boolean> {
    const { repository, levels } = this.options
    const { reading } = levels
    const [head, before] = await Promise.all([
      repository.lastSeq(jobId, reading),
      levels.find(jobId, reading),
    ])
    const upTo = head - RECENT_MESSAGES
    if (upTo <= before.folded_seq) return false
    const range = { since: before.folded_seq, upTo, limit: BATCH, only: 'progress' as const }
    const [progress, newest] = await Promise.all([
      repository.messages(jobId, range, reading),
      repository.newestProgress(jobId, head, reading),
    ])
    const full = progress.length === BATCH
    const folded_seq = full ? (progress.at(-1)?.seq ?? upTo) : upTo
    const kept_seq = Math.max(before.kept_seq, Math.min(newest?.seq ?? 0, folded_seq + 1))
    const { complete, ...after } = addBuckets(
      before,
      progress.map(({ message }) => bucketOf(JSON.parse(message))),
    )
    const finest = finestLevel(after.points)
    const stored = complete.filter(({ level }) => level >= finest)
    return levels.inBackground(async (transaction) => {
      // The job may have been removed meanwhile.
      if ((await repository.lastSeq(jobId, transaction)) < head) return false
      const outgrown = finest > finestLevel(before.points)
      await settleAll([
        levels.add(jobId, stored, transaction),
        ...(outgrown ? [levels.dropBelow(jobId, finest, transaction)] : []),
        levels.prune(jobId, { from: before.kept_seq, to: kept_seq }, transaction),
        levels.save(jobId, { ...after, folded_seq, kept_seq }, transaction),
      ])
      return full
    })
  }
}
