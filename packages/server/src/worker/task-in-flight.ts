import { after, type Phrase, phrase, type WorkerReply } from '@medloom/contracts'
import type { z } from 'zod'
import { Timer } from '../concurrency/timer.js'
import { AppError } from '../errors.js'
import { failureOfTask } from '../ports/worker-failures.js'
import type { TaskRequest } from './worker-process.js'

type Reply = z.infer<typeof WorkerReply>

const LONGER = phrase('smaller_or_longer')
type Silence = 'task_sent_no_message' | 'task_showed_no_activity' | 'task_worked'

/** A task in progress: its last message, and its deadlines. */
export class TaskInFlight {
  readonly answer: Promise<unknown>
  #resolve: (result: unknown) => void = () => {}
  #reject: (error: Error) => void = () => {}
  readonly #silence = new Timer(() => this.#timeOut('task_sent_no_message', this.request.silenceSeconds))
  readonly #inactivity = new Timer(() =>
    this.#timeOut('task_showed_no_activity', this.request.inactivitySeconds),
  )
  readonly #total = new Timer(() => this.#timeOut('task_worked', this.request.totalSeconds ?? 0, LONGER))
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
    return this.#settled || !this.#inactivity.isRunning ? 0 : Date.now() - this.#activeAt
  }

  /** The work starts, or starts again: from now on its deadlines count. */
  begin(): void {
    this.#stop()
    const { silenceSeconds, inactivitySeconds, totalSeconds } = this.request
    this.#activeAt = Date.now()
    this.#silence.start(silenceSeconds * 1000)
    this.#inactivity.start(inactivitySeconds * 1000)
    if (totalSeconds !== null) this.#total.start(totalSeconds * 1000)
  }

  /** The work is interrupted; deadlines do not count. */
  pause(): void {
    this.#stop()
  }

  take(reply: Reply): void {
    if (reply.type === 'progress') {
      this.#silence.refresh()
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
    this.#inactivity.refresh()
  }

  #timeOut(what: Silence, seconds: number, remedy?: Phrase): void {
    const opened = this.#file === null ? [] : [phrase('last_opened_file', { file: this.#file })]
    const said = this.#message === null ? [] : [phrase('last_message', { message: this.#message })]
    const more = [...opened, ...said.map((given) => (opened.length > 0 ? after('semicolon', given) : given))]
    const ended = phrase(what, { task: this.request.task, seconds: String(Math.round(seconds * 10) / 10) })
    this.fail(
      new AppError(
        'WORKER_TIMEOUT',
        more.length > 0 ? phrase('in_brackets', { text: [ended], more }) : ended,
        remedy,
      ),
    )
    this.onTimeOut()
  }

  #settle(finish: () => void): void {
    if (this.#settled) return
    this.#settled = true
    this.#stop()
    finish()
  }

  #stop(): void {
    for (const timer of [this.#silence, this.#inactivity, this.#total]) timer.stop()
  }
}
