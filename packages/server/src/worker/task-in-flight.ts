import type { WorkerReply } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { failureOfTask } from '../ports/worker-failures.js'
import type { TaskRequest } from './worker-process.js'

type Reply = z.infer<typeof WorkerReply>

const LONGER = 'Use a smaller table or fewer files, or increase --worker-deadline of the service.'

/** A task in progress: its last message, and its deadlines. */
export class TaskInFlight {
  readonly answer: Promise<unknown>
  #resolve: (result: unknown) => void = () => {}
  #reject: (error: Error) => void = () => {}
  #timers: readonly NodeJS.Timeout[] = []
  #activeAt = Date.now()
  #file: string | null = null
  #message: string | null = null
  #settled = false

  /** @param onTimeOut called when a deadline has ended it */
  constructor(
    readonly request: TaskRequest,
    private readonly onTimeOut: () => void,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // The caller awaits the answer later; a rejection before that is not an unhandled error.
    this.answer.catch(() => undefined)
  }

  get settled(): boolean {
    return this.#settled
  }

  get inactiveMilliseconds(): number {
    return this.#settled || this.#timers.length === 0 ? 0 : Date.now() - this.#activeAt
  }

  /** The work starts, or starts again: from now on its deadlines count. */
  begin(): void {
    this.#stop()
    const { silenceSeconds, inactivitySeconds, totalSeconds } = this.request
    this.#activeAt = Date.now()
    this.#timers = [
      setTimeout(() => this.#timeOut('sent no message', silenceSeconds), silenceSeconds * 1000),
      setTimeout(() => this.#timeOut('showed no activity', inactivitySeconds), inactivitySeconds * 1000),
      ...(totalSeconds === null
        ? []
        : [setTimeout(() => this.#timeOut('worked', totalSeconds, LONGER), totalSeconds * 1000)]),
    ]
  }

  /** The work is interrupted; deadlines do not count. */
  pause(): void {
    this.#stop()
  }

  take(reply: Reply): void {
    if (reply.type === 'progress') {
      this.#timers[0]?.refresh()
      this.#message = reply.message
      this.#active()
      this.request.onProgress?.(reply.fraction, reply.message, reply.message_phrases)
    } else if (reply.type === 'activity') {
      this.#file = reply.file
      if (reply.active) this.#active()
    } else if (reply.type === 'result') this.#settle(() => this.#resolve(reply.result))
    else this.fail(failureOfTask(reply))
  }

  fail(error: Error): void {
    this.#settle(() => this.#reject(error))
  }

  #active(): void {
    this.#activeAt = Date.now()
    this.#timers[1]?.refresh()
  }

  #timeOut(what: string, seconds: number, remedy?: string): void {
    const place = [
      ...(this.#file === null ? [] : [`last opened file: ${this.#file}`]),
      ...(this.#message === null ? [] : [`last message: ${this.#message}`]),
    ].join('; ')
    const ended = `the ${this.request.task} task ${what} for ${Math.round(seconds * 10) / 10} s and was ended`
    this.fail(new AppError('WORKER_TIMEOUT', place ? `${ended} (${place})` : ended, remedy))
    this.onTimeOut()
  }

  #settle(finish: () => void): void {
    if (this.#settled) return
    this.#settled = true
    this.#stop()
    finish()
  }

  #stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
  }
}
