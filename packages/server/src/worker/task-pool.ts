import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { WORKER_TASKS, type WorkerTask } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { TaskProcess } from './task-process.js'

export type TaskParams<T extends WorkerTask> = z.input<(typeof WORKER_TASKS)[T]['params']>
export type TaskResult<T extends WorkerTask> = z.output<(typeof WORKER_TASKS)[T]['result']>
export interface TaskOptions {
  readonly onProgress?: (fraction: number, message: string) => void
  /** Ends the task: its process is killed, and only that one. A task that waits for a process no longer does. */
  readonly signal?: AbortSignal
}

/** Short tasks in Python, in processes that stay warm because importing PyTorch takes seconds. */
export interface TaskPool {
  /**
   * @throws AppError with the code that the trainer gave, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE.
   */
  run<T extends WorkerTask>(task: T, params: TaskParams<T>, options?: TaskOptions): Promise<TaskResult<T>>
  close(): Promise<void>
}

export interface TaskPoolOptions {
  readonly python: string
  /** Folder of worker.log. */
  readonly logs: string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Bytes that one process may take; null: it decides by the memory of the machine. */
  readonly memory?: number | null
  /** Longest silence per task, in seconds. */
  readonly silenceSeconds?: Partial<Record<WorkerTask, number>>
}

/** A long evaluation must not keep an inspection waiting: one process is kept warm, a second is started when the first is busy. */
const MAX_PROCESSES = 2
const SILENCE_SECONDS: Record<WorkerTask, number> = {
  probe: 60,
  inspect: 300,
  evaluate: 1800,
  node: 1800,
  cache_state: 60,
  cache_clear: 300,
}

export function createTaskPool(options: TaskPoolOptions): TaskPool {
  return new WorkerPool(options)
}

interface Waiter {
  resolve(process: TaskProcess): void
  reject(error: Error): void
}

class WorkerPool implements TaskPool {
  readonly #idle: TaskProcess[] = []
  readonly #busy = new Set<TaskProcess>()
  readonly #waiting: Waiter[] = []
  #closed = false

  constructor(readonly options: TaskPoolOptions) {}

  async run<T extends WorkerTask>(
    task: T,
    params: TaskParams<T>,
    { signal, onProgress }: TaskOptions = {},
  ): Promise<TaskResult<T>> {
    const process = await this.#acquire(signal)
    const kill = () => void process.close()
    signal?.addEventListener('abort', kill)
    try {
      const answer = await process.run({
        id: randomUUID(),
        task,
        params: WORKER_TASKS[task].params.parse(params),
        silenceSeconds: this.options.silenceSeconds?.[task] ?? SILENCE_SECONDS[task],
        onProgress,
      })
      return this.#checked(task, answer)
    } catch (error) {
      throw signal?.aborted ? cancelled() : error
    } finally {
      signal?.removeEventListener('abort', kill)
      this.#release(process)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closing())
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((process) => process.close()))
  }

  #checked<T extends WorkerTask>(task: T, answer: unknown): TaskResult<T> {
    const checked = WORKER_TASKS[task].result.safeParse(answer)
    if (checked.success) return checked.data as TaskResult<T>
    const places = checked.error.issues.slice(0, 5).map((issue) => issue.path.join('.'))
    this.options.log.warn({ task, places }, 'the result of a worker violates the contract')
    throw new AppError('TRAINER_FAILED', `the result of the ${task} task violates the contract`)
  }

  #start(): TaskProcess {
    const { python, logs, memory = null } = this.options
    return new TaskProcess({ python, logFile: join(logs, 'worker.log'), memory })
  }

  #take(process: TaskProcess): TaskProcess {
    this.#busy.add(process)
    return process
  }

  #acquire(signal: AbortSignal | undefined): Promise<TaskProcess> | TaskProcess {
    if (this.#closed) throw closing()
    if (signal?.aborted) throw cancelled()
    for (let process = this.#idle.pop(); process; process = this.#idle.pop())
      if (process.alive) return this.#take(process)
    if (this.#busy.size < MAX_PROCESSES) return this.#take(this.#start())
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject }
      this.#waiting.push(waiter)
      signal?.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(waiter)
        if (place >= 0) this.#waiting.splice(place, 1)
        reject(cancelled())
      })
    })
  }

  #release(process: TaskProcess): void {
    this.#busy.delete(process)
    if (this.#closed) return
    if (!process.alive) void process.close()
    const waiter = this.#waiting.shift()
    if (waiter) waiter.resolve(this.#take(process.alive ? process : this.#start()))
    else if (this.#idle.length > 0) {
      if (process.alive) void process.close()
    } else if (process.alive) this.#idle.push(process)
    // One that never responded is replaced only for the next task: a broken environment must not cause a loop.
    else if (process.proven) this.#idle.push(this.#start())
  }
}

function cancelled(): AppError {
  return new AppError('TRAINER_FAILED', 'the task was cancelled', 'Ask again.')
}

function closing(): AppError {
  return new AppError('WORKER_TIMEOUT', 'the service is closing', 'Ask again when it runs.')
}
