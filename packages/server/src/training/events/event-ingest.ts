import { isTerminal, type JobMessage, type Model, type TrainerEvent } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { Transaction } from 'kysely'
import { DatabaseError } from '../../database/database-error.js'
import type { Tables } from '../../database/schema.js'
import { parseEvent } from '../../launchers/exchange/event-line.js'
import type { EventChunk, RunExchanges, TerminalEvent } from '../../launchers/exchange/run-exchange.js'
import type { Manifest } from '../../storage/checkpoints.js'
import { begun, type JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'
import { fold, type StalledEvent } from './fold.js'

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
 * Stores the events of trainers: one transaction per chunk moves the offset together with everything that the lines change, so that
 * each line counts exactly once, also after a crash of the service.
 */
export class EventIngest {
  readonly #unstored = new Map<string, JobRecord>()

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
  async take(known: JobRecord, chunk: EventChunk): Promise<JobRecord | null> {
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
    return this.#record(known, events, chunk)
  }

  /** The end of an attempt whose events do not contain it. An end that is stored already is adopted, as in `take`. */
  end(known: JobRecord, event: TerminalEvent): Promise<JobRecord | null> {
    return this.#record(known, [event])
  }

  /** What was seen of a trainer that reports nothing itself. */
  notice(known: JobRecord, event: StalledEvent): Promise<JobRecord | null> {
    return this.#record(known, [event])
  }

  async #record(
    known: JobRecord,
    events: readonly (TrainerEvent | StalledEvent)[],
    chunk?: EventChunk,
  ): Promise<JobRecord | null> {
    const { log, publish } = this.options
    const reported = { known, events, chunk }
    const recorded = await this.#store(reported, true)
      .catch((error) => {
        if (!(error instanceof ModelRefused)) throw error
        log.error(
          { err: error.cause, job_id: known.job_id },
          'the model could not be registered; the job ends without one',
        )
        return this.#store(reported, false)
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
  #store(
    { known, events, chunk }: Reported,
    registering: boolean,
  ): Promise<{ job: JobRecord; messages: readonly JobMessage[] } | null> {
    const { repository } = this.options
    return repository.transaction(async (transaction) => {
      const before = await repository.find(known.job_id, transaction)
      if (!before || before.attempt !== known.attempt) return null
      if (isTerminal(before.status) || (chunk && before.events_offset !== chunk.start))
        return { job: before, messages: await this.#untold(known, before, transaction) }
      // A trainer that has written something has begun, whatever state the launcher reported.
      const hasBegun = before.status === 'started' && (chunk !== undefined || events.some(isSuccess))
      const changes: Partial<JobRecord> = {
        ...(chunk ? { events_offset: chunk.end } : {}),
        ...(hasBegun ? begun(before) : {}),
      }
      const messages: JobMessage[] = []
      let job: JobRecord = { ...before, ...changes }
      for (const event of events) {
        const folded = fold(job, event)
        Object.assign(changes, folded.changes)
        if (folded.message?.type === 'completed') {
          const registered = await this.#register(transaction, { ...before, ...changes }, registering)
          changes.model_id = registered.model_id
          messages.push({ ...folded.message, ...registered })
        } else if (folded.message) messages.push(folded.message)
        job = { ...before, ...changes }
        if (isTerminal(job.status)) break
      }
      await repository.append(messages, transaction)
      await repository.update(before, changes, transaction)
      return { job, messages }
    })
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
      const manifest = await exchange.checkpoint(name).catch(() => null)
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

interface Reported {
  readonly known: JobRecord
  readonly events: readonly (TrainerEvent | StalledEvent)[]
  readonly chunk: EventChunk | undefined
}

/** The registry can never hold this model. Its job ends without one rather than not at all. */
class ModelRefused extends Error {
  constructor(cause: DatabaseError) {
    super('the model could not be registered', { cause })
  }
}

function isSuccess(event: TrainerEvent | StalledEvent): boolean {
  return event.type === 'completed' && event.status === 'completed'
}

/** A checkpoint of an earlier attempt of this job is not the result of this attempt. */
function isOfAttempt(manifest: Manifest, { job_id, attempt }: JobRecord): boolean {
  return manifest.job_id !== job_id || (manifest.attempt ?? attempt) === attempt
}
