import {
  fieldsOf,
  isTerminal,
  type JobMessage,
  type Metrics,
  type Stalled,
  type TrainerEvent,
} from '@medloom/contracts'
import type { EventChunk } from '../../ports/run-exchange.js'
import { isWaiting, type JobRecord, started, transition } from '../job-record.js'

/** An observation of the service about a trainer that reports nothing itself: training has stalled or continues. */
export interface StalledEvent {
  readonly type: 'stalled'
  readonly timestamp: string
  readonly attempt: number
  readonly stalled: Stalled | null
}

/** Effect of a trainer event on a job: the changed columns, and the message for its followers, if any. */
export interface EventEffect {
  changes: Partial<JobRecord>
  message: JobMessage | null
}

/** Returns true if an event must not be stored with the chunk of its line. */
export type PassesOver = (event: TrainerEvent, job: JobRecord) => boolean

export interface ReportedEvents {
  readonly events: readonly (TrainerEvent | StalledEvent)[]
  /** Location of the events in the file; absent: they come from no file. */
  readonly chunk?: EventChunk
  readonly passesOver?: PassesOver | undefined
}

/**
 * Applies events to a job one after the other, until one ends it. @param repeats returns true for events that followers have already
 * received.
 */
export function reduceEvents(
  before: JobRecord,
  { events, chunk, passesOver }: ReportedEvents,
  repeats: (event: TrainerEvent) => boolean = () => false,
): { readonly changes: Partial<JobRecord>; readonly messages: JobMessage[] } {
  // A trainer that has written something has started, whatever state the launcher reported.
  const hasBegun = isWaiting(before) && (chunk !== undefined || events.some(isSuccess))
  const changes: Partial<JobRecord> = {
    ...(chunk ? { events_offset: chunk.end } : {}),
    ...(hasBegun ? started(before) : {}),
  }
  const messages: JobMessage[] = []
  // One copy that every event changes, because there are thousands of events a second.
  const job: JobRecord = { ...before, ...changes }
  for (const event of events) {
    if (event.type !== 'stalled' && (passesOver?.(event, job) || repeats(event))) continue
    const { changes: changed, message } = reduceEvent(job, event)
    Object.assign(changes, changed)
    Object.assign(job, changed)
    if (message) messages.push(message)
    if (isTerminal(job.status)) break
  }
  return { changes, messages }
}

export function isSuccess(event: TrainerEvent | StalledEvent): boolean {
  return event.type === 'completed' && event.status === 'completed'
}

/** Pure: the same job and event give the same result, so a replay after a crash changes nothing. */
export function reduceEvent(job: JobRecord, event: TrainerEvent | StalledEvent): EventEffect {
  if (event.attempt !== job.attempt) return { changes: {}, message: null }
  switch (event.type) {
    case 'phase':
      return { changes: { phase: event.phase, epoch: Math.max(job.epoch, event.epoch) }, message: null }
    case 'prepared':
      return { changes: { prepared: event.prepared }, message: null }
    case 'checkpoint':
      return { changes: {}, message: null }
    case 'progress':
      return reduceProgress(job, event)
    case 'validation':
      return reduceValidation(job, event)
    case 'epoch_end':
      return reduceEpochEnd(job, event)
    case 'stalled':
      return reduceStalled(job, event)
    case 'completed':
      return reduceCompleted(job, event)
    case 'error':
      return reduceError(job, event)
  }
}

type EventOf<Type extends TrainerEvent['type']> = Extract<TrainerEvent, { type: Type }>

function reduceProgress(job: JobRecord, event: EventOf<'progress'>): EventEffect {
  const { type, epoch, metrics, batch, total_batches, eta_seconds } = event
  return withMessage(
    job,
    { phase: 'training', epoch, eta_seconds },
    { type, ...envelope(job, event), epoch, metrics, batch, total_batches, eta_seconds },
  )
}

function reduceValidation(job: JobRecord, event: EventOf<'validation'>): EventEffect {
  const { type, epoch, metrics, notes } = event
  return withMessage(
    job,
    { epoch, ...measured(job, metrics, notes) },
    { type, ...envelope(job, event), epoch, metrics: named(metrics, 'val_') },
  )
}

function reduceEpochEnd(job: JobRecord, event: EventOf<'epoch_end'>): EventEffect {
  const { type, epoch, total_epochs, duration_seconds, is_best } = event
  const { metrics, notes } = measured(job, event.metrics, {})
  return withMessage(
    job,
    { epoch, total_epochs, metrics, notes, ...(is_best ? { best: { epoch, metrics } } : {}) },
    {
      type,
      ...envelope(job, event),
      epoch,
      metrics: named(event.metrics, 'train_'),
      total_epochs,
      duration_seconds,
      is_best,
    },
  )
}

function reduceStalled(job: JobRecord, event: StalledEvent): EventEffect {
  const { type, stalled } = event
  return withMessage(
    job,
    { stalled },
    { type, ...envelope(job, event), epoch: job.epoch, metrics: {}, stalled },
  )
}

function reduceCompleted(job: JobRecord, event: EventOf<'completed'>): EventEffect {
  const { type, epoch, status, reason, reason_phrases, best, best_checkpoint, duration_seconds } = event
  const { baseline_verdict = null } = event
  const { metrics, notes } = measured(job, event.metrics, {})
  return withMessage(
    job,
    {
      ...transition(job.status, status),
      ...ended(event.timestamp),
      reason,
      reason_phrases,
      epoch,
      metrics,
      notes,
      best: best ?? job.best,
      baseline_verdict,
    },
    {
      type,
      ...envelope(job, event),
      epoch,
      metrics: named(metrics, 'train_'),
      status,
      best_checkpoint,
      model_id: null,
      baseline_verdict,
      duration_seconds,
    },
  )
}

function reduceError(job: JobRecord, event: EventOf<'error'>): EventEffect {
  const { type, epoch, code, message, message_phrases, details, details_phrases, trace } = event
  return withMessage(
    job,
    {
      ...transition(job.status, 'failed'),
      ...ended(event.timestamp),
      reason: message,
      reason_phrases: message_phrases,
      error: { code, ...fieldsOf('message', { english: message, phrases: message_phrases }), trace },
    },
    {
      type,
      ...envelope(job, event),
      epoch,
      metrics: named(job.metrics, 'train_'),
      ...fieldsOf('error', { english: message, phrases: message_phrases }),
      code,
      ...fieldsOf('details', { english: details, phrases: details_phrases }),
    },
  )
}

/** The seq of messages has no gaps, so that followers can count them. */
function withMessage(job: JobRecord, changes: Partial<JobRecord>, message: JobMessage): EventEffect {
  return { changes: { ...changes, last_seq: job.last_seq + 1 }, message }
}

function envelope({ job_id, last_seq }: JobRecord, { timestamp }: Pick<TrainerEvent, 'timestamp'>) {
  return { job_id, seq: last_seq + 1, timestamp }
}

const ended = (timestamp: string) => ({ phase: null, eta_seconds: null, stalled: null, ended_at: timestamp })

/** New values replace old ones; a note is kept only while its metric is null. */
function measured(job: JobRecord, metrics: Metrics, notes: Record<string, string>) {
  const merged = { ...job.metrics, ...metrics }
  const remaining = Object.entries({ ...job.notes, ...notes }).filter(
    ([name]) => (merged[name] ?? null) === null,
  )
  return { metrics: merged, notes: Object.fromEntries(remaining) }
}

/** Followers find `loss` and `accuracy` under these names in every message that contains them. */
function named(metrics: Metrics, prefix: 'train_' | 'val_'): Metrics {
  const plain: Metrics = {}
  for (const name of ['loss', 'accuracy']) {
    const value = metrics[prefix + name]
    if (value !== undefined && value !== null) plain[name] = value
  }
  return { ...plain, ...metrics }
}
