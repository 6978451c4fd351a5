import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { phrase, WorkerReply } from '@medloom/contracts'
import type { z } from 'zod'
import { childEnvironment } from '../child-environment.js'
import { AppError } from '../errors.js'
import { failureOfProcess, pythonUnavailable } from '../ports/worker-failures.js'
import type { RotatingLog } from '../storage/rotating-log.js'
import { readLines } from './read-lines.js'
import { TaskInFlight } from './task-in-flight.js'
import type { TaskRequest, WorkerProcess } from './worker-process.js'

export interface TaskProcessOptions {
  readonly python: string
  /** Log for its output. */
  readonly log: RotatingLog
  /** Memory limit in bytes; null: it decides by the memory of the machine. */
  readonly memory: number | null
}

/** One `medloom_trainer worker` process. It takes one task at a time and ends when its standard input does. */
export class TaskProcess implements WorkerProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<void>
  #current: TaskInFlight | undefined
  #alive = true
  #proven = false
  #stderrTail = ''

  constructor(readonly options: TaskProcessOptions) {
    const { python, memory } = options
    this.#child = spawn(python, ['-m', 'medloom_trainer', 'worker'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...childEnvironment(), ...(memory === null ? {} : { MEDLOOM_WORKER_MEMORY: String(memory) }) },
      // A separate process group, so that decoders that it started end with it.
      detached: process.platform !== 'win32',
    })
    this.#ended = this.#watch()
  }

  get alive(): boolean {
    return this.#alive
  }

  get proven(): boolean {
    return this.#proven
  }

  get inactiveMilliseconds(): number {
    return this.#current?.inactiveMilliseconds ?? 0
  }

  /** @throws AppError with the code of the trainer, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE. */
  async run(request: TaskRequest): Promise<unknown> {
    if (!this.#alive) {
      const { exitCode, signalCode } = this.#child
      throw failureOfProcess(this.options.python, exitCode, signalCode, this.#stderrTail)
    }
    this.#current = new TaskInFlight(request, () => {
      this.#alive = false
      kill(this.#child)
    })
    this.#current.begin()
    const { id, task, params } = request
    this.#child.stdin.write(`${JSON.stringify({ id, task, params })}\n`)
    return this.#current.answer
  }

  async close(): Promise<void> {
    this.#end(new AppError('TRAINER_FAILED', phrase('service_shutting_down'), phrase('when_service_runs')))
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
      // A log that cannot be written does not end the task.
      this.options.log.append(chunk).catch(() => undefined)
    })
    readLines(child.stdout, (line) => (line === undefined ? kill(child) : this.#answer(line)))
    return new Promise<void>((resolve) => {
      const { python } = this.options
      child.once('error', (error) => {
        this.#end(pythonUnavailable(python, (error as NodeJS.ErrnoException).code ?? error.message))
        resolve()
      })
      // 'close' instead of 'exit': its last output is read first.
      child.once('close', (code, signal) => {
        this.#end(failureOfProcess(python, code, signal, this.#stderrTail))
        resolve()
      })
    })
  }

  #answer(line: string): void {
    const reply = parseReply(line)
    // A library may print text; only replies to the current task count.
    if (!reply || !this.#current || this.#current.settled || reply.id !== this.#current.request.id) return
    this.#proven = true
    // It still occupies its memory, or is about to end.
    if (reply.type === 'error' && reply.code === 'OUT_OF_MEMORY') this.#alive = false
    this.#current.take(reply)
  }

  #end(error: AppError): void {
    this.#alive = false
    this.#current?.fail(error)
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
