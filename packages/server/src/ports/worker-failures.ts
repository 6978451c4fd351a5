import { ERRORS, type ErrorCode, type Phrase, phrase, type WorkerReply } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { SETUP } from '../repository.js'
import { inPlace } from '../system-fault.js'

/** The error that the worker reported. */
export function failureOfTask(reply: Extract<z.infer<typeof WorkerReply>, { type: 'error' }>): AppError {
  const code = Object.hasOwn(ERRORS, reply.code) ? (reply.code as ErrorCode) : 'TRAINER_FAILED'
  const text = { english: reply.message, phrases: reply.message_phrases }
  const details = { english: reply.details, phrases: reply.details_phrases }
  const error = new AppError(
    code,
    reply.file ? inPlace(reply.file, text) : text,
    reply.details === '' ? undefined : details,
  )
  error.trace = reply.trace
  return error
}

/** A worker that was killed from outside, for example by the system when memory ran out: the task itself may be correct. */
export class WorkerKilled extends AppError {}

/** Exit status of a trainer that is not of this version. */
export const OTHER_VERSION = 78

/** The error of a worker that ended during a task. */
export function failureOfProcess(
  python: string,
  code: number | null,
  signal: string | null,
  stderrTail: string,
): AppError {
  if (/ModuleNotFoundError|No module named/.test(stderrTail) && code === 1)
    return pythonUnavailable(python, [phrase('module_missing')])
  if (code === OTHER_VERSION)
    return pythonUnavailable(
      python,
      stderrTail.trim().split('\n').at(-1) ?? [phrase('version_of_trainer_differs')],
    )
  if (signal === 'SIGKILL')
    return new WorkerKilled('TRAINER_FAILED', phrase('worker_killed'), phrase('less_data_and_log'))
  return new AppError(
    'TRAINER_FAILED',
    phrase('worker_ended', {
      reason: signal ?? [phrase('exit_code', { code: String(code) })],
    }),
    phrase('see_worker_log'),
  )
}

export function pythonUnavailable(python: string, why: string | Phrase[]): AppError {
  return new AppError(
    'PYTHON_UNAVAILABLE',
    phrase('python_does_not_work', { python, reason: why === 'ENOENT' ? [phrase('not_found')] : why }),
    phrase('set_up_python', { command: SETUP }),
  )
}
