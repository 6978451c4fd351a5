import { randomUUID } from 'node:crypto'
import {
  type BackgroundTask,
  fieldsOf,
  inEnglish,
  LIMITS,
  type Phrase,
  phrase,
  type TaskSummary,
} from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { BackgroundTasks, OnProgress } from '../http/background-tasks.js'
import type { Page } from '../http/pagination.js'
import { UsersRepository } from '../people/users.repository.js'
import { systemFault } from '../system-fault.js'
import { TaskSlots } from './task-slots.js'
import { type TaskEnd, TasksRepository } from './tasks.repository.js'

interface Running {
  readonly abort: AbortController
  readonly ended: Promise<void>
  progress: number
  phase: string
  phrases: readonly Phrase[] | undefined
}

/**
 * Work that continues after its caller disconnects. Its end is stored; its progress is known only to this service. Work that a service did
 * not finish is not continued by the next one.
 */
export class TasksService implements BackgroundTasks {
  private readonly repository: TasksRepository
  private readonly users: Pick<UsersRepository, 'hasOthers'>
  private readonly places = new TaskSlots()
  private readonly running = new Map<string, Running>()
  private closed = false

  constructor(private readonly context: Pick<ServiceContext, 'database' | 'log'>) {
    this.repository = new TasksRepository(context.database)
    this.users = new UsersRepository(context.database)
  }

  /** Start a task. @throws AppError QUEUE_FULL */
  async begin(
    route: string,
    request: Record<string, unknown>,
    owner: string | null,
    work: (signal: AbortSignal, onProgress: OnProgress) => Promise<unknown>,
  ): Promise<BackgroundTask> {
    if (this.closed)
      throw new AppError('WORKER_TIMEOUT', phrase('service_shutting_down'), phrase('when_service_runs'))
    const task_id = randomUUID()
    const giveBack = this.places.take(owner, owner !== null && (await this.users.hasOthers(owner)))
    try {
      await this.repository.insert({ task_id, route, request, owner, created_at: new Date().toISOString() })
    } catch (error) {
      giveBack()
      throw error
    }
    const abort = new AbortController()
    const onProgress: OnProgress = (progress, phase, phrases) => {
      const running = this.running.get(task_id)
      if (running) Object.assign(running, { progress, phase, phrases })
    }
    const ended = this.bring(task_id, abort.signal, () => work(abort.signal, onProgress)).finally(giveBack)
    this.running.set(task_id, { abort, ended, progress: 0, phase: inEnglish(WAITING), phrases: WAITING })
    return this.get(task_id)
  }

  /** @throws AppError TASK_NOT_FOUND */
  async get(taskId: string): Promise<BackgroundTask> {
    const task = await this.repository.find(taskId)
    if (!task) throw new AppError('TASK_NOT_FOUND', phrase('task_unknown'))
    return { ...this.current(task), result: task.result }
  }

  async list(size: number, token: string | undefined, owner?: string): Promise<Page<TaskSummary>> {
    const page = await this.repository.list(size, token, owner)
    return { ...page, items: page.items.map((task) => this.current(task)) }
  }

  /** Responds when no process works on it any more. @throws AppError TASK_NOT_FOUND */
  async cancel(taskId: string): Promise<BackgroundTask> {
    const running = this.running.get(taskId)
    running?.abort.abort()
    await running?.ended
    return this.get(taskId)
  }

  /** Tasks that an earlier service left running ended with it. */
  async start(): Promise<void> {
    const error = asTaskError(new AppError('TASK_INTERRUPTED', phrase('service_stopped_in_task')))
    for (const taskId of await this.repository.running())
      await this.repository.end(
        taskId,
        { state: 'failed', progress: 0, result: null, error },
        LIMITS.kept_tasks,
      )
  }

  /** End running tasks, and wait until their ends are stored. */
  async close(): Promise<void> {
    this.closed = true
    for (const { abort } of this.running.values()) abort.abort(CLOSING)
    await Promise.all([...this.running.values()].map(({ ended }) => ended))
  }

  private current<T extends TaskSummary>(task: T): T {
    const running = task.state === 'running' ? this.running.get(task.task_id) : undefined
    if (!running) return task
    const { progress, phase, phrases } = running
    return { ...task, progress, phase, ...(phrases ? { phase_phrases: [...phrases] } : {}) }
  }

  private async bring(taskId: string, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
    // The caller gets its response before the work can end.
    await Promise.resolve()
    const end = await this.endOf(taskId, signal, work)
    try {
      await this.repository.end(taskId, end, LIMITS.kept_tasks)
    } catch (error) {
      this.context.log.warn({ err: error, task_id: taskId }, 'the end of a task could not be stored')
    }
    this.running.delete(taskId)
  }

  private async endOf(taskId: string, signal: AbortSignal, work: () => Promise<unknown>): Promise<TaskEnd> {
    try {
      return { state: 'completed', progress: 1, result: await work(), error: null }
    } catch (error) {
      const progress = this.running.get(taskId)?.progress ?? 0
      if (signal.aborted && signal.reason !== CLOSING)
        return { state: 'cancelled', progress, result: null, error: null }
      if (signal.aborted) {
        const interrupted = new AppError('TASK_INTERRUPTED', phrase('service_was_stopped_in_task'))
        return { state: 'failed', progress, result: null, error: asTaskError(interrupted) }
      }
      const known = error instanceof AppError ? error : systemFault(error)
      if (known) return { state: 'failed', progress, result: null, error: asTaskError(known) }
      this.context.log.error({ err: error, task_id: taskId }, 'a task failed because of a defect')
      const defect = new AppError('INTERNAL', phrase('service_defect'))
      return { state: 'failed', progress, result: null, error: asTaskError(defect) }
    }
  }
}

const WAITING = [phrase('waiting')]
const CLOSING = 'the service is shutting down'

function asTaskError({ text, code, remedy, issues }: AppError): NonNullable<BackgroundTask['error']> {
  return {
    ...fieldsOf('error', text),
    code,
    ...fieldsOf('details', remedy),
    ...(issues.length > 0 ? { issues: [...issues] } : {}),
  }
}
