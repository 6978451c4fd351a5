import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { ERRORS, type ErrorCode, WorkerReply, type WorkerTask } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { childEnvironment } from './environment.js'

/** One `medloom_trainer worker` process. It takes one task at a time and ends when its standard input does. */
export interface TaskProcess {
  /**
   * @param silenceSeconds the process is killed when neither progress nor a result came for so long.
   * @throws AppError with the code of the trainer, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE.
   */
  run(request: TaskRequest): Promise<unknown>
  /** False once it has ended; a process is never used again after a time-out, a broken answer or a lack of memory. */
  readonly alive: boolean
  /** It has answered at least once, so its environment works. */
  readonly proven: boolean
  /** End it, and what it started. */
  close(): Promise<void>
}

export interface TaskRequest {
  readonly id: string
  readonly task: WorkerTask
  readonly params: unknown
  readonly silenceSeconds: number
  readonly onProgress?: ((fraction: number, message: string) => void) | undefined
}

interface InFlight extends TaskRequest {
  resolve(result: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/** One answer; curves and predictions of a large evaluation are far smaller. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024

export interface TaskProcessOptions {
  readonly python: string
  readonly logFile: string
  /** Bytes; null: it decides by the memory of the machine. */
  readonly memory: number | null
}

export function startTaskProcess({ python, logFile, memory }: TaskProcessOptions): TaskProcess {
  const child = spawn(python, ['-m', 'medloom_trainer', 'worker'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...childEnvironment(), ...(memory === null ? {} : { MEDLOOM_WORKER_MEMORY: String(memory) }) },
    // Its own group, so that decoders it started end with it.
    detached: process.platform !== 'win32',
  })
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  log.on('error', () => {})
  let current: InFlight | undefined
  let alive = true
  let proven = false
  let stderrTail = ''

  const settle = (finish: (task: InFlight) => void) => {
    const task = current
    if (!task) return
    current = undefined
    clearTimeout(task.timer)
    finish(task)
  }
  const end = (error: AppError) => {
    alive = false
    settle((task) => task.reject(error))
    log.end()
  }
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end(pythonUnavailable(python, (error as NodeJS.ErrnoException).code ?? error.message))
      resolve()
    })
    // 'close', not 'exit': what it said last is read first.
    child.once('close', (code, signal) => {
      end(explainEnd(python, code, signal, stderrTail))
      resolve()
    })
  })
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (chunk: string) => {
    stderrTail = (stderrTail + chunk).slice(-2000)
    log.write(chunk)
  })
  readLines(child.stdout, (line) => {
    if (line === undefined) {
      kill(child)
      return
    }
    const reply = parseReply(line)
    // A library may print; only replies to the task in flight count.
    if (!reply || reply.id !== current?.id) return
    proven = true
    if (reply.type === 'progress') {
      current.timer.refresh()
      current.onProgress?.(reply.fraction, reply.message)
    } else if (reply.type === 'result') settle((task) => task.resolve(reply.result))
    else {
      const error = fromTrainer(reply)
      // It still holds what it took, or is about to end.
      if (error.code === 'OUT_OF_MEMORY') alive = false
      settle((task) => task.reject(error))
    }
  })

  return {
    get alive() {
      return alive
    },
    get proven() {
      return proven
    },
    run: (request) =>
      new Promise((resolve, reject) => {
        if (!alive) {
          reject(explainEnd(python, child.exitCode, child.signalCode, stderrTail))
          return
        }
        const timer = setTimeout(() => {
          alive = false
          settle((task) =>
            task.reject(
              new AppError(
                'WORKER_TIMEOUT',
                `the ${task.task} task was silent for ${task.silenceSeconds} s and was ended`,
              ),
            ),
          )
          kill(child)
        }, request.silenceSeconds * 1000)
        current = { ...request, resolve, reject, timer }
        const { id, task, params } = request
        child.stdin.write(`${JSON.stringify({ id, task, params })}\n`)
      }),
    close: async () => {
      // Between tasks it has nothing to lose, and what it was working on has nobody left to wait for it.
      end(new AppError('TRAINER_FAILED', 'the service is closing', 'Ask again when it runs.'))
      kill(child)
      await ended
    },
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

function fromTrainer(reply: Extract<Reply, { type: 'error' }>): AppError {
  const code = Object.hasOwn(ERRORS, reply.code) ? (reply.code as ErrorCode) : 'TRAINER_FAILED'
  const error = new AppError(code, reply.message, reply.details || undefined)
  error.trace = reply.trace
  return error
}

function explainEnd(
  python: string,
  code: number | null,
  signal: string | null,
  stderrTail: string,
): AppError {
  if (/ModuleNotFoundError|No module named/.test(stderrTail) && code === 1)
    return pythonUnavailable(python, 'a module is missing')
  if (signal === 'SIGKILL')
    return new AppError(
      'TRAINER_FAILED',
      'the worker was killed while it worked on this; often memory ran out',
      'Try again with less data at a time; logs/worker.log in the data folder may say more.',
    )
  return new AppError(
    'TRAINER_FAILED',
    `the worker ended while it worked on this (${signal ?? `exit code ${code}`})`,
    'See logs/worker.log in the data folder.',
  )
}

export function pythonUnavailable(python: string, why: string): AppError {
  return new AppError(
    'PYTHON_UNAVAILABLE',
    `the Python environment of the trainer does not work: ${python}: ${why === 'ENOENT' ? 'not found' : why}`,
    'Run npm run setup, or name an interpreter that has the trainer with --python; medloom doctor says more.',
  )
}

/** Whole lines of a stream; undefined once when a line is longer than any answer may be. */
function readLines(stream: NodeJS.ReadableStream, take: (line: string | undefined) => void): void {
  let pieces: string[] = []
  let length = 0
  let overflown = false
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (overflown) return
    const lines = chunk.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      take(pieces.join('') + line)
      pieces = []
      length = 0
    }
    pieces.push(rest)
    length += rest.length
    if (length > MAX_LINE_CHARACTERS) {
      overflown = true
      pieces = []
      take(undefined)
    }
  })
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}
