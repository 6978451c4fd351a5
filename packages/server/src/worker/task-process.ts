import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { WorkerReply, type WorkerTask } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import type { RotatingLog } from '../storage/rotating-log.js'
import { childEnvironment } from './environment.js'
import { readLines } from './read-lines.js'
import { failureOfProcess, failureOfTask, pythonUnavailable } from './worker-failures.js'

export interface TaskProcessOptions {
  readonly python: string
  /** What it prints. */
  readonly log: RotatingLog
  /** Bytes; null: it decides by the memory of the machine. */
  readonly memory: number | null
}

export interface TaskRequest {
  readonly id: string
  readonly task: WorkerTask
  readonly params: unknown
  /** The process is killed when neither progress nor a result came for so long. */
  readonly silenceSeconds: number
  /** The process is killed when it has not computed anything for so long: it is stuck, on a file that never answers for example. */
  readonly inactivitySeconds: number
  readonly onProgress?: ((fraction: number, message: string) => void) | undefined
}

interface InFlight extends TaskRequest {
  resolve(result: unknown): void
  reject(error: Error): void
  readonly timers: readonly [silence: NodeJS.Timeout, inactivity: NodeJS.Timeout]
  /** What it said last of where it is. */
  file: string | null
  message: string | null
}

/** One `medloom_trainer worker` process. It takes one task at a time and ends when its standard input does. */
export class TaskProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<void>
  #current: InFlight | undefined
  #alive = true
  #proven = false
  #activeAt = Date.now()
  #stderrTail = ''

  constructor(readonly options: TaskProcessOptions) {
    const { python, memory } = options
    this.#child = spawn(python, ['-m', 'medloom_trainer', 'worker'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...childEnvironment(), ...(memory === null ? {} : { MEDLOOM_WORKER_MEMORY: String(memory) }) },
      // Its own group, so that decoders it started end with it.
      detached: process.platform !== 'win32',
    })
    this.#ended = this.#watch()
  }

  /** False once it has ended; a process is never used again after a time-out, a broken answer or a lack of memory. */
  get alive(): boolean {
    return this.#alive
  }

  /** It has responded at least once, so its environment works. */
  get proven(): boolean {
    return this.#proven
  }

  /** Milliseconds since its last sign of activity during the task in flight. */
  get inactiveMilliseconds(): number {
    return this.#current ? Date.now() - this.#activeAt : 0
  }

  /** @throws AppError with the code of the trainer, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE. */
  run(request: TaskRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#alive) {
        const { exitCode, signalCode } = this.#child
        reject(failureOfProcess(this.options.python, exitCode, signalCode, this.#stderrTail))
        return
      }
      const { silenceSeconds, inactivitySeconds } = request
      const timers = [
        setTimeout(() => this.#timeOut('was silent', silenceSeconds), silenceSeconds * 1000),
        setTimeout(() => this.#timeOut('did nothing', inactivitySeconds), inactivitySeconds * 1000),
      ] as const
      this.#activeAt = Date.now()
      this.#current = { ...request, resolve, reject, timers, file: null, message: null }
      const { id, task, params } = request
      this.#child.stdin.write(`${JSON.stringify({ id, task, params })}\n`)
    })
  }

  /** End it, and what it started. A task in flight is rejected: its caller does not wait any more. */
  async close(): Promise<void> {
    this.#end(new AppError('TRAINER_FAILED', 'the service is closing', 'Ask again when it runs.'))
    kill(this.#child)
    await this.#ended
  }

  /** Resolves once the process has ended. */
  #watch(): Promise<void> {
    const child = this.#child
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (chunk: string) => {
      this.#stderrTail = (this.#stderrTail + chunk).slice(-2000)
      // A log that cannot be written ends no task.
      this.options.log.append(chunk).catch(() => undefined)
    })
    readLines(child.stdout, (line) => (line === undefined ? kill(child) : this.#answer(line)))
    return new Promise<void>((resolve) => {
      const { python } = this.options
      child.once('error', (error) => {
        this.#end(pythonUnavailable(python, (error as NodeJS.ErrnoException).code ?? error.message))
        resolve()
      })
      // 'close', not 'exit': what it said last is read first.
      child.once('close', (code, signal) => {
        this.#end(failureOfProcess(python, code, signal, this.#stderrTail))
        resolve()
      })
    })
  }

  #answer(line: string): void {
    const reply = parseReply(line)
    // A library may print; only replies to the task in flight count.
    if (!reply || reply.id !== this.#current?.id) return
    this.#proven = true
    if (reply.type === 'progress') {
      this.#current.timers[0].refresh()
      this.#current.message = reply.message
      this.#activity()
      this.#current.onProgress?.(reply.fraction, reply.message)
    } else if (reply.type === 'activity') {
      this.#current.file = reply.file
      if (reply.active) this.#activity()
    } else if (reply.type === 'result') this.#settle((task) => task.resolve(reply.result))
    else {
      const error = failureOfTask(reply)
      // It still holds what it took, or is about to end.
      if (error.code === 'OUT_OF_MEMORY') this.#alive = false
      this.#settle((task) => task.reject(error))
    }
  }

  #activity(): void {
    this.#activeAt = Date.now()
    this.#current?.timers[1].refresh()
  }

  #timeOut(what: string, seconds: number): void {
    this.#alive = false
    this.#settle(({ task, file, message, reject }) => {
      const place = [
        ...(file === null ? [] : [`the last file it opened: ${file}`]),
        ...(message === null ? [] : [`its last message: ${message}`]),
      ].join('; ')
      const ended = `the ${task} task ${what} for ${seconds} s and was ended`
      reject(new AppError('WORKER_TIMEOUT', place ? `${ended} (${place})` : ended))
    })
    kill(this.#child)
  }

  #settle(finish: (task: InFlight) => void): void {
    const task = this.#current
    if (!task) return
    this.#current = undefined
    for (const timer of task.timers) clearTimeout(timer)
    finish(task)
  }

  #end(error: AppError): void {
    this.#alive = false
    this.#settle((task) => task.reject(error))
  }
}

type Reply = z.infer<typeof WorkerReply>

function parseReply(line: string): Reply | undefined {
  try {
    return WorkerReply.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

function kill(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}
