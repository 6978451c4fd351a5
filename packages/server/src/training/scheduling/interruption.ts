import {
  asValue,
  fieldsOf,
  messageOf,
  phrase,
  type Text,
  type TrainerEvent,
  textOf,
} from '@medloom/contracts'
import type { RunExchange, TerminalEvent } from '../../ports/run-exchange.js'
import { nullIfUnusable } from '../../storage/checkpoints.js'
import type { JobRecord } from '../job-record.js'

/** Maximum number of successive attempts that end without saving a checkpoint. */
const MAX_WITHOUT_CHECKPOINT = 2

/**
 * Returns true if the launcher may have caused the end that a trainer reports: a stop that this service did not request, such as before a
 * time limit, or a lost process of its group. Pure.
 */
export function mayBeInterruption(event: TrainerEvent, { request }: Pick<JobRecord, 'request'>): boolean {
  if (event.type === 'completed') return event.status === 'stopped' && request !== 'stop'
  return event.type === 'error' && event.code === 'WORKER_LOST' && request !== 'stop'
}

/** Returns true if another attempt may follow this one, which ended before its job was done. */
export async function mayRetry(
  exchange: Pick<RunExchange, 'checkpoint'>,
  { attempt }: Pick<JobRecord, 'attempt'>,
): Promise<boolean> {
  const last = await nullIfUnusable(exchange.checkpoint('last'))
  const saved = last === null ? 0 : (last.attempt ?? attempt)
  return attempt - saved < MAX_WITHOUT_CHECKPOINT
}

/** State of a job while its next attempt is being started. */
export function interrupted({ attempt }: Pick<JobRecord, 'attempt'>, why: Text) {
  return {
    phase: 'queued' as const,
    eta_seconds: null,
    stalled: null,
    ...fieldsOf(
      'reason',
      textOf(phrase('attempt_interrupted', { attempt, why: asValue(why), next: attempt + 1 })),
    ),
  }
}

/** The end of a job whose attempts are interrupted repeatedly before they save anything. */
export function withoutProgressEvent(job: JobRecord, why: Text): TerminalEvent {
  return {
    type: 'error',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    epoch: job.epoch,
    code: 'INTERRUPTED_TOO_OFTEN',
    ...messageOf(phrase('attempts_interrupted', { number: MAX_WITHOUT_CHECKPOINT, why: asValue(why) })),
    ...fieldsOf('details', textOf(phrase('more_time_or_checkpoints'))),
    trace: null,
  }
}
