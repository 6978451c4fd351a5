import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  asValue,
  PrewarmedReply,
  type PrewarmedRequest,
  phrase,
  type Text,
  type Wording,
} from '@medloom/contracts'
import { childEnvironment } from '../../child-environment.js'
import { within } from '../../concurrency/within.js'
import { TRAINER_FORK_MILLISECONDS, TRAINER_IMPORT_MILLISECONDS } from '../../durations.js'
import { AppError } from '../../errors.js'
import { OTHER_VERSION } from '../../ports/worker-failures.js'
import { makeInnerFolder } from '../../storage/own-folder.js'
import { cutLongLog } from '../../storage/rotating-log.js'
import { readLines } from '../../worker/read-lines.js'
import { endingOf } from './ending-of.js'

export interface PrewarmedProcessOptions {
  readonly python: string
  /** Absolute path; output of a process before it has a job. A file, since a pipe would break with this service. */
  readonly logFile: string
  /** Maximum time for the imports; seconds on most machines, minutes from a network drive. */
  readonly importMilliseconds?: number
  /** Maximum response time after its imports. Forking takes milliseconds. */
  readonly answerMilliseconds?: number
}

interface Forked {
  readonly pid: number
  readonly ended: Promise<Text>
}

/**
 * `medloom_trainer prewarmed`: a process that has completed its imports and creates processes for jobs. It ends when its input closes; the
 * processes of jobs continue.
 */
export class PrewarmedProcess {
  readonly #child: ChildProcess
  readonly #endings = new Map<number, (ending: Text) => void>()
  readonly #ended: Promise<AppError>
  #ready: Promise<void>
  #alive = true
  /** If the system cannot fork, it becomes the process of a single job itself. */
  #isTaken = false
  #forked: ((pid: number) => void) | undefined
  #requests: Promise<unknown> = Promise.resolve()
  #forking = 0

  constructor(readonly options: PrewarmedProcessOptions) {
    this.#child = spawnPrewarmed(options)
    // A process that has ended does not read; its end is detected elsewhere.
    this.#child.stdin?.on('error', () => undefined)
    this.#child.unref()
    for (const pipe of [this.#child.stdin, this.#child.stdout]) unref(pipe)
    this.#ended = new Promise((done) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) =>
        done(this.#unavailable(error.code ?? phrase('unknown_reason'))),
      )
      this.#child.once('exit', (code, signal) => done(this.#unavailable(failureOf(code, signal))))
    })
    void this.#ended.then(() => {
      this.#alive = false
    })
    this.#ready = new Promise((done) => {
      if (this.#child.stdout) readLines(this.#child.stdout, (line) => this.#take(line, done))
    })
  }

  /** True if it can create a process for another job: not after it has ended, failed to respond or become the process of a job. */
  get isReady(): boolean {
    return this.#alive && !this.#isTaken
  }

  /** True while a process for a job is being created, or one that it created is still running. */
  get isUsed(): boolean {
    return this.#forking > 0 || this.#endings.size > 0
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /**
   * A process that waits for a job, and its end, if that is reported.
   * @returns null if it became the process of the previous job.
   * @throws AppError PYTHON_UNAVAILABLE when there is none in time: it is then killed, since it is not reliable enough for a job.
   */
  fork(mark: string): Promise<Forked | null> {
    this.#forking += 1
    const request = this.#requests.then(() => this.#fork(mark))
    this.#requests = request
      .catch(() => undefined)
      .then(() => {
        this.#forking -= 1
      })
    return request
  }

  begin(pid: number, spec: string): void {
    this.#send({ type: 'begin', pid, spec })
  }

  dismiss(pid: number): void {
    this.#send({ type: 'dismiss', pid })
  }

  /** It ends; the processes that it created for jobs continue. */
  close(): void {
    this.#child.stdin?.destroy()
  }

  async #fork(mark: string): Promise<Forked | null> {
    if (this.#isTaken) return null
    const {
      importMilliseconds = TRAINER_IMPORT_MILLISECONDS,
      answerMilliseconds = TRAINER_FORK_MILLISECONDS,
      logFile,
    } = this.options
    shorten(logFile)
    await this.#within(importMilliseconds, this.#ready)
    const forked = new Promise<number>((done) => {
      this.#forked = done
    })
    this.#send({ type: 'fork', mark })
    const pid = await this.#within(answerMilliseconds, forked)
    this.#isTaken = pid === this.pid
    const ended = new Promise<Text>((done) => {
      if (pid !== this.pid) this.#endings.set(pid, done)
      else this.#child.once('exit', (code, signal) => done(endingOf(code, signal)))
    })
    return { pid, ended }
  }

  async #within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
    const inTime = await within(milliseconds, Promise.race([answer, this.#ended]))
    const first =
      inTime === null
        ? this.#unavailable(phrase('no_response_for', { seconds: milliseconds / 1000 }))
        : inTime
    if (!(first instanceof AppError)) return first
    this.#alive = false
    this.#child.kill('SIGKILL')
    throw first
  }

  #take(line: string | undefined, ready: () => void): void {
    const reply = line === undefined ? undefined : parse(line)
    if (reply?.type === 'ready') ready()
    else if (reply?.type === 'forked') this.#forked?.(reply.pid)
    else if (reply?.type === 'ended') {
      this.#endings.get(reply.pid)?.({ english: reply.ending, phrases: reply.ending_phrases })
      this.#endings.delete(reply.pid)
    }
  }

  #send(request: PrewarmedRequest): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`)
  }

  #unavailable(reason: Wording): AppError {
    return new AppError(
      'PYTHON_UNAVAILABLE',
      phrase('trainer_not_started', { reason: asValue(reason), log: this.options.logFile }),
    )
  }
}

function spawnPrewarmed({ python, logFile }: PrewarmedProcessOptions): ChildProcess {
  makeInnerFolder(dirname(logFile))
  shorten(logFile)
  const log = openSync(logFile, 'a')
  try {
    return spawn(python, ['-m', 'medloom_trainer', 'prewarmed'], {
      // A separate session: neither Ctrl-C nor the end of this service reaches it.
      detached: true,
      stdio: ['pipe', 'pipe', log],
      env: childEnvironment(),
    })
  } finally {
    closeSync(log)
  }
}

function failureOf(code: number | null, signal: NodeJS.Signals | null): Wording {
  return code === OTHER_VERSION ? phrase('version_of_trainer_differs') : endingOf(code, signal)
}

/** A log that cannot be shortened, as on a full disk, does not prevent a job from starting. */
function shorten(logFile: string): void {
  try {
    cutLongLog(logFile)
  } catch {
    // Retried with the next process.
  }
}

/** A pipe is a socket that would prevent this service from ending. */
function unref(pipe: unknown): void {
  ;(pipe as { unref?: () => void } | null)?.unref?.()
}

function parse(line: string): PrewarmedReply | undefined {
  try {
    return PrewarmedReply.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
