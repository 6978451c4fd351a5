import { backoff, type ErrorCode, fieldsOf, type Job, phrase, type QueuePause } from '@medloom/contracts'
import { Timer } from '../../concurrency/timer.js'
import { QUEUE_FIRST_RETRY_MILLISECONDS, QUEUE_LONGEST_RETRY_MILLISECONDS } from '../../durations.js'
import { AppError } from '../../errors.js'
import { MACHINE_FAULTS, systemFault } from '../../system-fault.js'

/** Errors that would also fail the next job, in addition to faults of the machine. */
const SHARED_CODES: ReadonlySet<string> = new Set<ErrorCode>(['PYTHON_UNAVAILABLE', 'CLUSTER_UNREACHABLE'])
/** The system refuses to start a process, for any job. */
const SYSTEM_CODES = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']

/** The fault of the machine if `error` prevents a job from starting; null when the job itself may be the cause. */
export function environmentFault(error: unknown): AppError | null {
  if (error instanceof AppError) return isShared(error.code) ? error : null
  const fault = systemFault(error)
  if (fault) return isShared(fault.code) ? fault : null
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  if (!SYSTEM_CODES.includes(code)) return null
  return new AppError(
    'TRAINER_FAILED',
    phrase('process_not_started', { error: code }),
    phrase('read_service_log'),
  )
}

type Failed = Pick<NonNullable<Job['error']>, 'code' | 'message' | 'message_phrases'>

/** Like `environmentFault`, for the error with which a trainer ended its job. */
export function sharedFault(error: Failed | null): AppError | null {
  return error && isShared(error.code)
    ? new AppError(error.code as ErrorCode, { english: error.message, phrases: error.message_phrases })
    : null
}

function isShared(code: string): boolean {
  return SHARED_CODES.has(code) || MACHINE_FAULTS.has(code)
}

/** Prevents a fault of the machine from failing one job of the queue after the other: the queue pauses and retries at growing intervals. */
export class QueueGate {
  #pause: QueuePause | null = null
  #failures = 0
  readonly #timer = new Timer(() => {
    if (!this.retry()) this.#pause = null
  })

  /** @param retry starts the waiting jobs when it is time to retry; returns false when there are none. */
  constructor(
    readonly retry: () => boolean,
    readonly firstMilliseconds = QUEUE_FIRST_RETRY_MILLISECONDS,
  ) {}

  /** Reason why nothing is started at the moment. */
  get pause(): QueuePause | null {
    return this.#pause
  }

  /** True until it is time to retry. */
  get isShut(): boolean {
    return this.#timer.isRunning
  }

  shut({ code, text, remedy }: AppError): void {
    if (this.isShut) return
    const milliseconds = backoff(this.firstMilliseconds, QUEUE_LONGEST_RETRY_MILLISECONDS)(this.#failures)
    this.#failures += 1
    const now = Date.now()
    this.#pause = {
      since: this.#pause?.since ?? new Date(now).toISOString(),
      code,
      ...fieldsOf('message', text),
      ...fieldsOf('remedy', remedy),
      retry_at: new Date(now + milliseconds).toISOString(),
    }
    this.#timer.start(milliseconds)
  }

  /** Called when the end of a job cannot be stored: the next job could not be stored either. */
  failed(error: unknown): void {
    const fault = environmentFault(error)
    if (fault) this.shut(fault)
  }

  /** Called when a job could be started. */
  started(): void {
    this.#pause = null
  }

  /** Called when a job ended by itself: the fault is gone, and not only for a moment. */
  repaired(): void {
    this.#failures = 0
  }

  /** Called when a job ended with this error. */
  ended(error: Failed | null): void {
    const fault = sharedFault(error)
    if (fault) this.shut(fault)
    else this.repaired()
  }

  close(): void {
    this.#timer.stop()
  }
}
