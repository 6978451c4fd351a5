import { ERRORS, type ErrorCode, type WorkerReply } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { SETUP } from '../repository.js'
import { inPlace } from '../storage/system-fault.js'

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
    return pythonUnavailable(python, 'a module is missing')
  if (code === OTHER_VERSION)
    return pythonUnavailable(
      python,
      stderrTail.trim().split('\n').at(-1) ?? 'its version differs from that of the service',
    )
  if (signal === 'SIGKILL')
    return new WorkerKilled(
      'TRAINER_FAILED',
      'the worker was killed during the task, often because the machine ran out of memory',
      'Try again with less data, and see logs/worker.log in the data folder.',
    )
  return new AppError(
    'TRAINER_FAILED',
    `the worker ended during the task (${signal ?? `exit code ${code}`})`,
    'See logs/worker.log in the data folder.',
  )
}

export function pythonUnavailable(python: string, why: string): AppError {
  return new AppError(
    'PYTHON_UNAVAILABLE',
    `the Python environment of the trainer does not work: ${python}: ${why === 'ENOENT' ? 'not found' : why}`,
    `Run ${SETUP}, or set --python to an interpreter with the trainer. Run "medloom doctor" for details.`,
  )
}
