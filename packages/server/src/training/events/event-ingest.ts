import { isTerminal, type JobMessage, type Model, type TrainerEvent } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { Transaction } from 'kysely'
import { DatabaseError } from '../../database/database-error.js'
import { GroupCommit, isOfTheMachine, MOST_OF_A_GROUP } from '../../database/group-commit.js'
import type { Tables } from '../../database/schema.js'
import { settleAll } from '../../database/settle-all.js'
import { parseEvent } from '../../ports/event-line.js'
import type { EventChunk, RunExchanges, TerminalEvent } from '../../ports/run-exchange.js'
import { type Manifest, nullIfUnusable } from '../../storage/checkpoints.js'
import type { JobRecord } from '../job-record.js'
import type { ReadingPlace, TrainingRepository } from '../training.repository.js'
import { canStoreOptimistically, type Recorded, storeOptimistically } from './optimistic-store.js'
import {
  isSuccess,
  type PassesOver,
  type ReportedEvents,
  reduceEvent,
  reduceEvents,
  type StalledEvent,
} from './reduce-event.js'

export type RegisterModel = (
  transaction: Transaction<Tables>,
  model: Omit<Model, 'model_id' | 'aliases' | 'evaluations'>,
) => Promise<string>

export interface EventIngestOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
  readonly registerModel: RegisterModel
  /** Called after the commit, in order. */
  readonly publish: (jobId: string, messages: readonly JobMessage[]) => void
  readonly log: FastifyBaseLogger
}

/**
 * Stores the events of trainers: one transaction moves the offset of a job together with everything that its lines change, so that each
 * line counts exactly once, even after a crash of the service. Chunks of several jobs that arrive together share a transaction.
 */
export class EventIngest {
  readonly #unstored = new Map<string, JobRecord>()
  readonly #groups = new GroupCommit<Reported, Recorded | null>({
    store: (group) => this.#store(group),
    keyOf: ({ known }) => known.job_id,
    sizeOf: ({ events }) => (events.some(isSuccess) ? MOST_OF_A_GROUP : Math.max(1, events.length)),
    failsAll: isOfTheMachine,
  })

  constructor(readonly options: EventIngestOptions) {}

  /** The failed job as long as its end cannot be stored, for example on a full disk; undefined once it is stored. */
  unstoredFailure(jobId: string): JobRecord | undefined {
    return this.#unstored.get(jobId)
  }

  /**
   * @param known the job as the caller knows it. If more of it is stored, because a commit succeeded although it reported a failure, that
   * state is adopted: nothing is stored twice, and followers receive the messages that they missed.
   * @returns the current job, or null when the lines belong to an older attempt.
   */
  async take(known: JobRecord, chunk: EventChunk, passesOver?: PassesOver): Promise<JobRecord | null> {
    const { job_id, attempt } = known
    const events: TrainerEvent[] = []
    for (const line of chunk.lines) {
      const event = line === '' ? undefined : parseEvent(line)
      if (event) events.push(event)
      // The text itself is not logged.
      if (event === null)
        this.options.log.warn(
          { job_id, attempt, near: chunk.start, bytes: line.length },
          'a damaged line of the event file was skipped',
        )
    }
    return this.#record({ known, events, chunk, passesOver })
  }

  /** Stores the end of an attempt whose events do not contain it. An end that is already stored is adopted, as in `take`. */
  end(known: JobRecord, event: TerminalEvent): Promise<JobRecord | null> {
    return this.#record({ known, events: [event] })
  }

  /** Stores an observation about a trainer that reports nothing itself. */
  notice(known: JobRecord, event: StalledEvent): Promise<JobRecord | null> {
    return this.#record({ known, events: [event] })
  }

  async #record(reported: Reported): Promise<JobRecord | null> {
    const { log, publish } = this.options
    const { known, events } = reported
    const recorded = await this.#groups
      .add(reported)
      .catch((error) => {
        if (!(error instanceof ModelRefused)) throw error
        log.error(
          { err: error.cause, job_id: known.job_id },
          'the model could not be registered; the job ends without a model',
        )
        return this.#groups.add({ ...reported, registering: false })
      })
      .catch((error) => {
        this.#keepFailure(known, events)
        throw error
      })
    this.#unstored.delete(known.job_id)
    if (!recorded) return null
    publish(known.job_id, recorded.messages)
    return recorded.job
  }

  /** Only a failure is known without the database: a successful training refers to the model that was stored with its end. */
  #keepFailure(known: JobRecord, events: Reported['events']): void {
    const job = { ...known }
    for (const event of events) Object.assign(job, reduceEvent(job, event).changes)
    if (job.status === 'failed') this.#unstored.set(known.job_id, job)
  }

  /** One transaction: after a failure nothing is stored, and the same lines are read again. @throws ModelRefused */
  async #store(group: readonly Reported[]): Promise<(Recorded | null)[]> {
    const stored = group.every(canStoreOptimistically)
      ? await storeOptimistically(group, this.options.repository)
      : null
    return stored ?? this.#storeAsStored(group)
  }

  /** Applies the lines to the jobs as they are stored, whatever the caller knows. */
  #storeAsStored(group: readonly Reported[]): Promise<(Recorded | null)[]> {
    const { repository } = this.options
    return repository.inBackground(async (transaction) => {
      const jobIds = group.map(({ known }) => known.job_id)
      const places = await repository.readingPlaces(jobIds, transaction)
      const reduced: (Reduction | null)[] = []
      for (const reported of group) {
        const place = places.get(reported.known.job_id)
        reduced.push(place ? await this.#reduce(reported, place, transaction) : null)
      }
      const changed = reduced.filter((one) => one !== null && one.changes !== null) as Changed[]
      await settleAll([
        repository.append(
          changed.flatMap(({ messages }) => messages),
          transaction,
        ),
        ...changed.map(({ before, changes }) => repository.update(before, changes, transaction)),
      ])
      return reduced
    })
  }

  /** Changes that the lines make to the stored job; null when they belong to an older attempt. */
  async #reduce(
    reported: Reported,
    place: ReadingPlace,
    transaction: Transaction<Tables>,
  ): Promise<Reduction | null> {
    const { known, chunk, registering = true } = reported
    const before = await this.#before(known, place, transaction)
    if (!before || before.attempt !== known.attempt) return null
    if (isTerminal(before.status) || (chunk && before.events_offset !== chunk.start))
      return { before, job: before, messages: await this.#untold(known, before, transaction), changes: null }
    const { changes, messages } = reduceEvents(before, reported, await this.#repetitions(before, transaction))
    const end = messages.at(-1)
    if (end?.type === 'completed') {
      const registered = await this.#register(transaction, { ...before, ...changes }, registering)
      changes.model_id = registered.model_id
      messages.splice(-1, 1, { ...end, ...registered })
    }
    return { before, job: { ...before, ...changes }, messages, changes }
  }

  /**
   * The stored job. Its documents are read again only if it differs from the job that the caller knows: they change only together with the
   * columns compared here, and thousands of jobs are requested all the time.
   */
  async #before(
    known: JobRecord,
    { request, ...place }: ReadingPlace,
    transaction: Transaction<Tables>,
  ): Promise<JobRecord | undefined> {
    const { status, attempt, events_offset, last_seq } = place
    const isKnown =
      known.status === status &&
      known.attempt === attempt &&
      known.events_offset === events_offset &&
      known.last_seq === last_seq
    return isKnown ? { ...known, request } : this.options.repository.find(known.job_id, transaction)
  }

  /**
   * Events that an attempt repeats because the previous one was interrupted after its last checkpoint: followers have already received
   * them.
   */
  async #repetitions(
    { job_id, attempt, last_seq }: JobRecord,
    transaction: Transaction<Tables>,
  ): Promise<(event: TrainerEvent) => boolean> {
    if (attempt < 2) return () => false
    const newest = await this.options.repository.newestProgress(job_id, last_seq, transaction)
    if (!newest) return () => false
    const newestProgress = JSON.parse(newest.message) as { epoch: number; batch: number }
    return (event) =>
      event.type === 'progress' &&
      (event.epoch < newestProgress.epoch ||
        (event.epoch === newestProgress.epoch && event.batch <= newestProgress.batch))
  }

  async #untold(
    { job_id, last_seq }: JobRecord,
    { last_seq: upTo }: JobRecord,
    transaction: Transaction<Tables>,
  ): Promise<JobMessage[]> {
    const range = { since: last_seq, upTo, limit: upTo - last_seq }
    const stored = await this.options.repository.messages(job_id, range, transaction)
    return stored.map(({ message }) => JSON.parse(message))
  }

  /** Registers the best checkpoint, or the last one, as a model; a job without checkpoints has no model. */
  async #register(
    transaction: Transaction<Tables>,
    job: JobRecord,
    registering: boolean,
  ): Promise<{ model_id: string | null; best_checkpoint: string | null }> {
    const exchange = this.options.exchange(job.job_id)
    for (const name of ['best', 'last']) {
      const manifest = await nullIfUnusable(exchange.checkpoint(name))
      if (!manifest || !job.prepared || !isOfAttempt(manifest, job)) continue
      const checkpoint_path = exchange.localPath(name)
      if (!registering) return { model_id: null, best_checkpoint: checkpoint_path }
      const { prepared, config } = job
      try {
        const model_id = await this.options.registerModel(transaction, {
          architecture: config.model.vision_backbone,
          fusion_type: config.model.fusion_type,
          created_at: new Date().toISOString(),
          metrics: { val_accuracy: null, val_auc: null, ...manifest.metrics },
          task: prepared.task,
          classes: prepared.classes,
          parameters: prepared.parameters,
          job_id: job.job_id,
          job_name: job.job_name,
          checkpoint_path,
          data_digests: prepared.data_digests,
          fine_tuned_from: job.fine_tuned_from,
        })
        return { model_id, best_checkpoint: checkpoint_path }
      } catch (error) {
        // A full disk may have free space at the next attempt; a constraint is violated at every attempt.
        throw error instanceof DatabaseError && error.kind === 'constraint' ? new ModelRefused(error) : error
      }
    }
    return { model_id: null, best_checkpoint: null }
  }
}

/** Events of one job, and the job as their reader knows it. */
interface Reported extends ReportedEvents {
  readonly known: JobRecord
  /** True if a successful training is registered as a model; this is the default. */
  readonly registering?: boolean
}

interface Reduction extends Recorded {
  readonly before: JobRecord
  /** null: everything is already stored. */
  readonly changes: Partial<JobRecord> | null
}

type Changed = Reduction & { readonly changes: Partial<JobRecord> }

/** The registry can never store this model. The job ends without a model instead of never ending. */
class ModelRefused extends Error {
  constructor(cause: DatabaseError) {
    super('the model could not be registered', { cause })
  }
}

/** Each attempt continues from the last checkpoint of the earlier ones, so their checkpoints also belong to the job. */
function isOfAttempt(manifest: Manifest, { job_id, attempt }: JobRecord): boolean {
  return manifest.job_id !== job_id || (manifest.attempt ?? attempt) <= attempt
}
