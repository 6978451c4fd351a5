import type { ErrorCode, QueuePause } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { MACHINE_FAULTS, systemFault } from '../../storage/system-fault.js'

/** Errors that the next job would end with as well, beside those of the machine. */
const SHARED_CODES: ReadonlySet<string> = new Set<ErrorCode>(['PYTHON_UNAVAILABLE', 'CLUSTER_UNREACHABLE'])
/** The system refuses to start a process, for whichever job. */
const SYSTEM_CODES = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']

/** What is wrong with the machine when `error` keeps a job from starting; null when it may be the fault of the job. */
export function environmentFault(error: unknown): AppError | null {
  if (error instanceof AppError) return isShared(error.code) ? error : null
  const fault = systemFault(error)
  if (fault) return isShared(fault.code) ? fault : null
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  if (!SYSTEM_CODES.includes(code)) return null
  return new AppError(
    'TRAINER_FAILED',
    `the system does not let a job start (${code})`,
    'Read the service log.',
  )
}

/** As `environmentFault`, of the error with which a trainer ended its job. */
export function sharedFault(error: { code: string; message: string } | null): AppError | null {
  return error && isShared(error.code) ? new AppError(error.code as ErrorCode, error.message) : null
}

function isShared(code: string): boolean {
  return SHARED_CODES.has(code) || MACHINE_FAULTS.has(code)
}

const FIRST_MILLISECONDS = 5000
const MAX_MILLISECONDS = 300_000

/** Keeps the queue from failing one job after the other for what is wrong with the machine: it tries again, more and more rarely. */
export class QueueGate {
  #pause: QueuePause | null = null
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  /** @param retry starts the jobs that wait, as soon as the time has come; false when there are none. */
  constructor(
    readonly retry: () => boolean,
    readonly firstMilliseconds = FIRST_MILLISECONDS,
  ) {}

  /** Why nothing is started at the moment. */
  get pause(): QueuePause | null {
    return this.#pause
  }

  /** Whether the time to try again has not come. */
  get isShut(): boolean {
    return this.#timer !== undefined
  }

  shut({ code, message, details }: AppError): void {
    if (this.isShut) return
    const milliseconds = Math.min(this.firstMilliseconds * 2 ** this.#failures, MAX_MILLISECONDS)
    this.#failures += 1
    const now = Date.now()
    this.#pause = {
      since: this.#pause?.since ?? new Date(now).toISOString(),
      code,
      message,
      remedy: details,
      retry_at: new Date(now + milliseconds).toISOString(),
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.retry()) this.#pause = null
    }, milliseconds)
    this.#timer.unref()
  }

  /** A job could be started. */
  started(): void {
    this.#pause = null
  }

  /** A job ended by itself: what was wrong is over, not only for a moment. */
  repaired(): void {
    this.#failures = 0
  }

  /** A job ended, with this error. */
  ended(error: { code: string; message: string } | null): void {
    const fault = sharedFault(error)
    if (fault) this.shut(fault)
    else this.repaired()
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
