import { asValue, ERRORS, fieldsOf, messageOf, phrase, type Text, textOf } from '@medloom/contracts'
import type { AppError } from '../../errors.js'
import type { TerminalEvent } from '../../ports/run-exchange.js'
import type { JobRecord } from '../job-record.js'

/** The end of an attempt whose trainer was stopped without reporting it. */
export function stoppedEvent(job: JobRecord, reason: Text): TerminalEvent {
  return {
    type: 'completed',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    status: 'stopped',
    ...fieldsOf('reason', reason),
    epoch: job.epoch,
    metrics: {},
    best: job.best,
    best_checkpoint: null,
    duration_seconds: secondsSince(job.started_at),
  }
}

/** The end of an attempt whose trainer is gone without a result. `silent`: it never wrote an event. */
export function lostEvent(
  job: JobRecord,
  { how, silent, trace }: { how: Text; silent: boolean; trace: string | null },
): TerminalEvent {
  return {
    type: 'error',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    epoch: job.epoch,
    code: 'WORKER_LOST',
    ...messageOf(
      phrase(silent ? 'process_ended_before_start' : 'process_ended_without_result', { how: asValue(how) }),
    ),
    ...fieldsOf('details', textOf(phrase(silent ? 'run_doctor' : 'resume_from_last'))),
    trace,
  }
}

/** The end of an attempt whose trainer could not report anything, because its run directory cannot be written. */
export function faultEvent(job: JobRecord, { code, text, remedy }: AppError): TerminalEvent {
  return {
    type: 'error',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    epoch: job.epoch,
    code,
    ...fieldsOf('message', text),
    ...fieldsOf('details', remedy),
    trace: null,
  }
}

/** The end of an attempt whose files were removed by someone: further results of its trainer cannot be stored. */
export function missingEvent(job: JobRecord, what: Text): TerminalEvent {
  return {
    type: 'error',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    epoch: job.epoch,
    code: 'RUN_DIRECTORY_MISSING',
    ...messageOf(phrase('removed_while_running', { what: asValue(what) })),
    details: ERRORS.RUN_DIRECTORY_MISSING.remedy,
    trace: null,
  }
}

function secondsSince(timestamp: string | null): number {
  return timestamp === null ? 0 : Math.max(0, (Date.now() - Date.parse(timestamp)) / 1000)
}
