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
import { fold } from './fold.js'

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
  constructor(readonly options: EventIngestOptions) {}

  /** @returns the job as it is now, or null when these lines are not its own (an older attempt, an ended job). */
  async take(jobId: string, attempt: number, chunk: EventChunk): Promise<JobRecord | null> {
    const events: TrainerEvent[] = []
    for (const line of chunk.lines) {
      const event = line === '' ? undefined : parseEvent(line)
      if (event) events.push(event)
      // The text itself stays out of the log.
      if (event === null)
        this.options.log.warn(
          { job_id: jobId, attempt, near: chunk.start, bytes: line.length },
          'a damaged line of the event file was skipped',
        )
    }
    return this.#record(jobId, attempt, events, chunk)
  }

  /** The end of an attempt whose events do not contain it. */
  end(jobId: string, attempt: number, event: TerminalEvent): Promise<JobRecord | null> {
    return this.#record(jobId, attempt, [event])
  }

  async #record(
    jobId: string,
    attempt: number,
    events: readonly TrainerEvent[],
    chunk?: EventChunk,
  ): Promise<JobRecord | null> {
    const { log, publish } = this.options
    const reported = { jobId, attempt, events, chunk }
    const recorded = await this.#store(reported, true).catch((error) => {
      if (!(error instanceof ModelRefused)) throw error
      log.error(
        { err: error.cause, job_id: jobId },
        'the model could not be registered; the job ends without one',
      )
      return this.#store(reported, false)
    })
    if (!recorded) return null
    publish(jobId, recorded.messages)
    return recorded.job
  }

  /** One transaction: after a failure nothing is stored, and the same lines are read again. @throws ModelRefused */
  #store(
    { jobId, attempt, events, chunk }: Reported,
    registering: boolean,
  ): Promise<{ job: JobRecord; messages: readonly JobMessage[] } | null> {
    const { repository } = this.options
    return repository.transaction(async (transaction) => {
      const before = await repository.find(jobId, transaction)
      if (!before || isTerminal(before.status) || before.attempt !== attempt) return null
      if (chunk && before.events_offset !== chunk.start) return null
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
  readonly jobId: string
  readonly attempt: number
  readonly events: readonly TrainerEvent[]
  readonly chunk: EventChunk | undefined
}

/** The registry can never hold this model. Its job ends without one rather than not at all. */
class ModelRefused extends Error {
  constructor(cause: DatabaseError) {
    super('the model could not be registered', { cause })
  }
}

function isSuccess(event: TrainerEvent): boolean {
  return event.type === 'completed' && event.status === 'completed'
}

/** A checkpoint of an earlier attempt of this job is not the result of this attempt. */
function isOfAttempt(manifest: Manifest, { job_id, attempt }: JobRecord): boolean {
  return manifest.job_id !== job_id || (manifest.attempt ?? attempt) === attempt
}
