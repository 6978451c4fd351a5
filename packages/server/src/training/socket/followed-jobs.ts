import type { JobMessage } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../../concurrency/coalescer.js'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import { sleep } from '../../concurrency/sleep.js'
import { TimeSlicer } from '../../concurrency/time-slicer.js'
import { FOLLOWED_JOBS_POLL_MILLISECONDS } from '../../durations.js'
import type { FanOut, Follower } from '../../live/fan-out.js'
import type { TrainingRepository } from '../training.repository.js'

/** Maximum number of jobs per query. */
const JOBS_AT_A_TIME = 100
/** Maximum number of messages per job. */
const MESSAGES_AT_A_TIME = 50
/** Pause after each query, as a multiple of its time: messages stored meanwhile are read together, and the database has time to store. */
const REST = 3
const LONGEST_REST_MILLISECONDS = 200

export interface FollowedJobsOptions {
  readonly repository: Pick<TrainingRepository, 'lastSeqs' | 'messagesAfter'>
  readonly fanOut: FanOut
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

interface Followed {
  watchers: number
  /** seq up to which everything was published, or was stored before the first watcher; null: not known yet. */
  position: number | null
}

/** Live messages of jobs that another process stores: messages of jobs watched here are read from the database and published. */
export class FollowedJobs {
  readonly #followed = new Map<string, Followed>()
  readonly #due = new Set<string>()
  readonly #slicer = new TimeSlicer()
  readonly #read = new Coalescer(() => this.#publishDue(), {
    onError: (error) =>
      this.options.log.warn(
        { err: error },
        'messages could not be read; followers of jobs are notified later',
      ),
  })
  #endPolling: () => void = () => undefined
  #closed = false

  constructor(private readonly options: FollowedJobsOptions) {}

  start(): void {
    this.#endPolling = repeatEvery(FOLLOWED_JOBS_POLL_MILLISECONDS, () => this.#lookAtAll())
  }

  /** Like `watch` of the fan-out: a follower that joins gets all messages that are stored from then on. */
  watch(jobId: string, follower: Follower): ReturnType<FanOut['watch']> {
    const followed = this.#follow(jobId)
    const { join, leave } = this.options.fanOut.watch(jobId, follower)
    let watching = true
    return {
      // Messages after the position are published; the follower itself must have read the earlier ones.
      join: () => followed.position !== null && followed.position <= follower.cursor && join(),
      leave: () => {
        leave()
        if (watching) followed.watchers -= 1
        watching = false
        if (followed.watchers === 0 && this.#followed.get(jobId) === followed) this.#followed.delete(jobId)
      },
    }
  }

  /** Messages of this job were stored; null: of any job. */
  hint(jobId: string | null): void {
    for (const id of jobId === null ? this.#followed.keys() : [jobId])
      if (this.#followed.has(id)) this.#due.add(id)
    void this.#read.flush()
  }

  close(): void {
    this.#closed = true
    this.#endPolling()
  }

  #follow(jobId: string): Followed {
    const known = this.#followed.get(jobId)
    if (known) {
      known.watchers += 1
      return known
    }
    const followed: Followed = { watchers: 1, position: null }
    this.#followed.set(jobId, followed)
    void this.#begin(jobId, followed)
    return followed
  }

  /** If the position cannot be read, the next poll tries again. */
  async #begin(jobId: string, followed: Followed): Promise<void> {
    const found = await this.options.repository.lastSeqs([jobId]).catch(() => null)
    if (found) followed.position ??= found[0]?.[1] ?? 0
  }

  async #lookAtAll(): Promise<void> {
    try {
      const ids = [...this.#followed.keys()]
      for (let index = 0; index < ids.length; index += JOBS_AT_A_TIME)
        for (const [jobId, last] of await this.options.repository.lastSeqs(
          ids.slice(index, index + JOBS_AT_A_TIME),
        )) {
          const followed = this.#followed.get(jobId)
          if (followed && followed.position === null) await this.#begin(jobId, followed)
          else if (followed && last > (followed.position ?? last)) this.#due.add(jobId)
        }
    } catch (error) {
      this.options.log.warn(
        { err: error },
        'followers of jobs will be notified later, because the database does not respond',
      )
    }
    await this.#read.flush()
  }

  async #publishDue(): Promise<void> {
    while (this.#due.size > 0 && !this.#closed) {
      const began = performance.now()
      await this.#publishSome()
      await sleep(Math.min(LONGEST_REST_MILLISECONDS, REST * (performance.now() - began)))
    }
  }

  async #publishSome(): Promise<void> {
    const after: [jobId: string, seq: number][] = []
    for (const jobId of [...this.#due].slice(0, JOBS_AT_A_TIME)) {
      this.#due.delete(jobId)
      const position = this.#followed.get(jobId)?.position
      // Until its position is known, nobody has joined.
      if (typeof position === 'number') after.push([jobId, position])
    }
    if (after.length === 0) return
    const found = await this.options.repository.messagesAfter(after, MESSAGES_AT_A_TIME)
    for (const [jobId, text] of found) {
      await this.#slicer.next()
      const messages: readonly JobMessage[] = JSON.parse(text)
      if (messages.length === MESSAGES_AT_A_TIME) this.#due.add(jobId)
      this.#publish(jobId, messages)
    }
  }

  #publish(jobId: string, messages: readonly JobMessage[]): void {
    const followed = this.#followed.get(jobId)
    const last = messages.at(-1)?.seq
    if (!followed || last === undefined) return
    this.options.fanOut.publish(jobId, messages)
    followed.position = Math.max(followed.position ?? 0, last)
  }
}
