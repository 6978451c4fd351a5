import { isTerminal, type JobMessage, type Model, type TrainerEvent } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { Transaction } from 'kysely'
import { DatabaseError } from '../../database/database-error.js'
import { GroupCommit, isOfTheMachine, MOST_OF_A_GROUP } from '../../database/group-commit.js'
import type { Tables } from '../../database/schema.js'
import { together } from '../../database/together.js'
import { parseEvent } from '../../launchers/exchange/event-line.js'
import type { EventChunk, RunExchanges, TerminalEvent } from '../../launchers/exchange/run-exchange.js'
import { type Manifest, unlessUnusable } from '../../storage/checkpoints.js'
import type { JobRecord } from '../job-record.js'
import type { ReadingPlace, TrainingRepository } from '../training.repository.js'
import { fold, foldAll, isSuccess, type PassesOver, type ReportedEvents, type StalledEvent } from './fold.js'
import { isPlain, type Recorded, storeAsKnown } from './store-as-known.js'

export type RegisterModel = (
  transaction: Transaction<Tables>,
  model: Omit<Model, 'model_id' | 'aliases' | 'evaluations'>,
) => Promise<string>

export interface EventIngestOptions {
  readonly repository: TrainingRepository
  readonly exchange: RunExchanges
  readonly registerModel: RegisterModel
  /** After the commit, in order. */
  readonly publish: (jobId: string, messages: readonly JobMessage[]) => void
  readonly log: FastifyBaseLogger
}

/**
 * Stores the events of trainers: one transaction moves the offset of a job together with everything that its lines change, so that
 * each line counts exactly once, also after a crash of the service. Chunks of several jobs that come together share a transaction.
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

  /** The job as its trainer has left it, while that cannot be stored, for example on a full disk; undefined once it is. */
  unstoredFailure(jobId: string): JobRecord | undefined {
    return this.#unstored.get(jobId)
  }

  /**
   * @param known the job as the caller knows it. Where more of it is stored, since a commit was carried out although it reported a
   * failure, that is adopted: nothing is stored twice, and followers get what they were not told.
   * @returns the job as it is now, or null when the lines are of an older attempt.
   */
  async take(known: JobRecord, chunk: EventChunk, passesOver?: PassesOver): Promise<JobRecord | null> {
    const { job_id, attempt } = known
    const events: TrainerEvent[] = []
    for (const line of chunk.lines) {
      const event = line === '' ? undefined : parseEvent(line)
      if (event) events.push(event)
      // The text itself stays out of the log.
      if (event === null)
        this.options.log.warn(
          { job_id, attempt, near: chunk.start, bytes: line.length },
          'a damaged line of the event file was skipped',
        )
    }
    return this.#record({ known, events, chunk, passesOver })
  }

  /** The end of an attempt whose events do not contain it. An end that is stored already is adopted, as in `take`. */
  end(known: JobRecord, event: TerminalEvent): Promise<JobRecord | null> {
    return this.#record({ known, events: [event] })
  }

  /** What was seen of a trainer that reports nothing itself. */
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
          'the model could not be registered; the job ends without one',
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

  /** Only a failure is known without the database: a training that succeeded names the model that was stored with its end. */
  #keepFailure(known: JobRecord, events: Reported['events']): void {
    const job = { ...known }
    for (const event of events) Object.assign(job, fold(job, event).changes)
    if (job.status === 'failed') this.#unstored.set(known.job_id, job)
  }

  /** One transaction: after a failure nothing is stored, and the same lines are read again. @throws ModelRefused */
  async #store(group: readonly Reported[]): Promise<(Recorded | null)[]> {
    const stored = group.every(isPlain) ? await storeAsKnown(group, this.options.repository) : null
    return stored ?? this.#storeAsStored(group)
  }

  /** What the lines change of the jobs as they are stored, whatever the caller knows. */
  #storeAsStored(group: readonly Reported[]): Promise<(Recorded | null)[]> {
    const { repository } = this.options
    return repository.inBackground(async (transaction) => {
      const jobIds = group.map(({ known }) => known.job_id)
      const places = await repository.readingPlaces(jobIds, transaction)
      const folded: (Folding | null)[] = []
      for (const reported of group) {
        const place = places.get(reported.known.job_id)
        folded.push(place ? await this.#fold(reported, place, transaction) : null)
      }
      const changed = folded.filter((one) => one !== null && one.changes !== null) as Changed[]
      await together([
        repository.append(
          changed.flatMap(({ messages }) => messages),
          transaction,
        ),
        ...changed.map(({ before, changes }) => repository.update(before, changes, transaction)),
      ])
      return folded
    })
  }

  /** What the lines change of the job as it is stored; null when they are of an older attempt. */
  async #fold(
    reported: Reported,
    place: ReadingPlace,
    transaction: Transaction<Tables>,
  ): Promise<Folding | null> {
    const { known, chunk, registering = true } = reported
    const before = await this.#before(known, place, transaction)
    if (!before || before.attempt !== known.attempt) return null
    if (isTerminal(before.status) || (chunk && before.events_offset !== chunk.start))
      return { before, job: before, messages: await this.#untold(known, before, transaction), changes: null }
    const { changes, messages } = foldAll(before, reported, await this.#repetitions(before, transaction))
    const end = messages.at(-1)
    if (end?.type === 'completed') {
      const registered = await this.#register(transaction, { ...before, ...changes }, registering)
      changes.model_id = registered.model_id
      messages.splice(-1, 1, { ...end, ...registered })
    }
    return { before, job: { ...before, ...changes }, messages, changes }
  }

  /**
   * The job as it is stored. Its documents are read again only where it is not as the caller knows it: they change with what is compared
   * here, and a thousand jobs are asked for every moment.
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

  /** What an attempt trains again, since the one before was interrupted after its last checkpoint: followers were told of it already. */
  async #repetitions(
    { job_id, attempt, last_seq }: JobRecord,
    transaction: Transaction<Tables>,
  ): Promise<(event: TrainerEvent) => boolean> {
    if (attempt < 2) return () => false
    const newest = await this.options.repository.newestProgress(job_id, last_seq, transaction)
    if (!newest) return () => false
    const told = JSON.parse(newest.message) as { epoch: number; batch: number }
    return (event) =>
      event.type === 'progress' &&
      (event.epoch < told.epoch || (event.epoch === told.epoch && event.batch <= told.batch))
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

  /** Its best checkpoint, or the last one, becomes a model; a job without either has none. */
  async #register(
    transaction: Transaction<Tables>,
    job: JobRecord,
    registering: boolean,
  ): Promise<{ model_id: string | null; best_checkpoint: string | null }> {
    const exchange = this.options.exchange(job.job_id)
    for (const name of ['best', 'last']) {
      const manifest = await unlessUnusable(exchange.checkpoint(name))
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
        // A full disk may have room again at the next attempt; a constraint is violated at every attempt.
        throw error instanceof DatabaseError && error.kind === 'constraint' ? new ModelRefused(error) : error
      }
    }
    return { model_id: null, best_checkpoint: null }
  }
}

/** Events of one job, and the job as their reader knows it. */
interface Reported extends ReportedEvents {
  readonly known: JobRecord
  /** Whether a training that has succeeded becomes a model; absent: it does. */
  readonly registering?: boolean
}

interface Folding extends Recorded {
  readonly before: JobRecord
  /** null: all of it is stored already. */
  readonly changes: Partial<JobRecord> | null
}

type Changed = Folding & { readonly changes: Partial<JobRecord> }

/** The registry can never hold this model. Its job ends without one rather than not at all. */
class ModelRefused extends Error {
  constructor(cause: DatabaseError) {
    super('the model could not be registered', { cause })
  }
}

/** Each attempt goes on from the last checkpoint of those before it: theirs are checkpoints of the job as well. */
function isOfAttempt(manifest: Manifest, { job_id, attempt }: JobRecord): boolean {
  return manifest.job_id !== job_id || (manifest.attempt ?? attempt) <= attempt
}
