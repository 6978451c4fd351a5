import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { phrase, WORKER_TASKS, type WorkerTask } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { repeatEvery } from '../concurrency/repeat-every.js'
import { WORKER_INACTIVITY_SECONDS, WORKER_STUCK_SECONDS, WORKER_WARM_SECONDS } from '../durations.js'
import { AppError } from '../errors.js'
import type { TaskOptions, TaskParams, TaskPool, TaskResult } from '../ports/task-pool.js'
import { totalSeconds } from '../ports/total-seconds.js'
import { currentUser } from '../security/on-behalf-of.js'
import { RotatingLog } from '../storage/rotating-log.js'
import { Gateway, type GatewayOptions } from './cluster/gateway.js'
import { Lane } from './lane.js'
import { LocalProcesses } from './local-processes.js'
import type { WorkerProcess } from './worker-process.js'

export interface TaskPoolOptions {
  readonly python: string
  /** Folder of worker.log. */
  readonly logs: string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Memory limit of one process in bytes; null: it decides by the memory of the machine. */
  readonly memory?: number | null
  /** Longest silence per task, in seconds. */
  readonly silenceSeconds?: Partial<Record<WorkerTask, number>>
  /** Longest time without activity, in seconds. */
  readonly inactivitySeconds?: number
  /** Factor for the total time limit of tasks that a caller waits for; for tests. */
  readonly deadlines?: number
  /**
   * Seconds without activity after which others no longer wait for a process, and seconds after which a wait counts as a problem; for
   * tests.
   */
  readonly stuckSeconds?: number
  readonly lastingSeconds?: number
  /** Time for which a second process without a task is kept; for tests. */
  readonly warmSeconds?: number
  /** Time for which the last process without a task is kept; 0 or absent: permanently. */
  readonly idleSeconds?: number
  /** The cluster on which nodes of workflows run; absent: this machine. */
  readonly cluster?: Omit<GatewayOptions, 'output' | 'log' | 'memory'> & {
    /** Paths of the folders on its machines; absent: the same paths. */
    readonly places?: TaskParams<'node'>['places']
  }
}

type LaneName = 'short' | 'long' | 'view' | 'predict' | 'cluster'

/**
 * Long tasks do not delay short ones, and neither delay a user who views data or predicts single cases: each kind has separate processes.
 */
const LANE_OF: Record<WorkerTask, Exclude<LaneName, 'cluster'>> = {
  probe: 'short',
  software: 'short',
  inspect: 'short',
  propose_recipe: 'long',
  named_images: 'short',
  check_training: 'short',
  study_folds: 'long',
  study_results: 'long',
  study_suggest: 'short',
  study_prune: 'short',
  ensemble: 'long',
  export: 'long',
  evaluate: 'long',
  compare: 'long',
  node: 'long',
  custom_nodes: 'short',
  custom_node: 'long',
  preview: 'long',
  cache_state: 'short',
  cache_clear: 'short',
  cases: 'view',
  distribution: 'view',
  images: 'view',
  preview_cases: 'view',
  file_image: 'view',
  image_info: 'view',
  leaks: 'long',
  predict: 'long',
  model_inputs: 'predict',
  follow_up_coverage: 'short',
  follow_up_outcomes: 'long',
  follow_up_evaluate: 'long',
}
const LANE_PROCESSES = 2
/** Additional processes for other users if one user has all of a lane, so that tasks of minutes do not delay them. */
const FOR_OTHERS = 1
/** Time for which waiting tasks are not reported as a problem. */
const LASTING_SECONDS = 30
const SILENCE_SECONDS: Record<WorkerTask, number> = {
  probe: 60,
  software: 60,
  inspect: 300,
  propose_recipe: 900,
  named_images: 300,
  check_training: 300,
  study_folds: 1800,
  study_results: 1800,
  study_suggest: 300,
  study_prune: 300,
  ensemble: 1800,
  export: 1800,
  evaluate: 1800,
  compare: 1800,
  node: 1800,
  custom_nodes: 60,
  custom_node: 1800,
  preview: 300,
  cache_state: 60,
  cache_clear: 300,
  cases: 1800,
  distribution: 1800,
  images: 300,
  preview_cases: 1800,
  file_image: 300,
  image_info: 300,
  leaks: 1800,
  predict: 1800,
  model_inputs: 1800,
  follow_up_coverage: 300,
  follow_up_outcomes: 1800,
  follow_up_evaluate: 1800,
}

export function createTaskPool(options: TaskPoolOptions): TaskPool {
  return new WorkerPool(options)
}

class WorkerPool implements TaskPool {
  readonly #lanes: Readonly<Record<LaneName, Lane>>
  readonly #local: LocalProcesses
  /** Processes that keep the model of their last task in memory. */
  readonly #predicting: LocalProcesses
  readonly #gateway: Gateway | undefined
  readonly #endWatch: () => void
  #closed = false

  constructor(readonly options: TaskPoolOptions) {
    const {
      python,
      logs,
      memory = null,
      warmSeconds = WORKER_WARM_SECONDS,
      idleSeconds = 0,
      cluster,
      log,
    } = options
    const output = new RotatingLog(join(logs, 'worker.log'))
    const processes = { python, log: output, memory, warmSeconds, idleSeconds }
    this.#local = new LocalProcesses(processes)
    this.#predicting = new LocalProcesses(processes)
    this.#gateway = cluster && new Gateway({ ...cluster, output, log, memory })
    const stuck = (options.stuckSeconds ?? WORKER_STUCK_SECONDS) * 1000
    const local = (source = this.#local) => new Lane(source, () => LANE_PROCESSES, stuck, FOR_OTHERS)
    const gateway = this.#gateway
    this.#lanes = {
      short: local(),
      long: local(),
      view: local(),
      predict: local(this.#predicting),
      cluster: gateway ? new Lane(gateway, () => gateway.size, stuck) : local(),
    }
    gateway?.onSize(() => this.#lanes.cluster.serve())
    gateway?.onUnreachable((error) => this.#lanes.cluster.reject(error))
    // Waiting tasks proceed although some processes are stuck.
    this.#endWatch = repeatEvery(stuck / 2, () => {
      for (const lane of Object.values(this.#lanes)) lane.serve()
    })
  }

  async run<T extends WorkerTask>(
    task: T,
    params: TaskParams<T>,
    { signal, waits, onProgress, onPlaced, reads = {} }: TaskOptions = {},
  ): Promise<TaskResult<T>> {
    const name = this.#laneOf(task, params)
    const lane = this.#lanes[name]
    const { inactivitySeconds = WORKER_INACTIVITY_SECONDS, deadlines } = this.options
    const process = await this.#acquire(lane, keyOf(task, params), signal ?? waits)
    const kill = () => void process.close()
    signal?.addEventListener('abort', kill)
    // It may have been canceled since the process was taken.
    if (signal?.aborted) kill()
    try {
      const answer = await process.run({
        id: randomUUID(),
        task,
        params: this.#complete(task, name === 'cluster' ? this.#elsewhere(params) : params),
        silenceSeconds: this.options.silenceSeconds?.[task] ?? SILENCE_SECONDS[task],
        inactivitySeconds,
        totalSeconds: totalSeconds(task, reads, inactivitySeconds, deadlines),
        onProgress,
        onPlaced,
      })
      return this.#checked(task, answer)
    } catch (error) {
      throw signal?.aborted ? cancelled() : error
    } finally {
      signal?.removeEventListener('abort', kill)
      lane.giveBack(process)
    }
  }

  problem(): string | null {
    const unreachable = this.#gateway?.problem ?? null
    if (unreachable !== null) return unreachable
    const lasting = this.options.lastingSeconds ?? LASTING_SECONDS
    for (const [name, lane] of Object.entries(this.#lanes)) {
      const { stuck, busy, waiting, waitedSeconds } = lane
      const mayTakeLong = name === 'long' || name === 'cluster'
      if (waitedSeconds < lasting || (mayTakeLong && stuck < busy.size)) continue
      const seconds = Math.round(waitedSeconds)
      return `${waiting} ${name} ${waiting === 1 ? 'task waits' : 'tasks wait'} for a worker process, the first for ${seconds} s; ${stuck} of ${busy.size} processes show no activity`
    }
    return null
  }

  onClusterSize(listener: (nodes: number) => void): void {
    this.#gateway?.onSize(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endWatch()
    const lanes = Object.values(this.#lanes)
    for (const lane of lanes) lane.reject(closing())
    const busy = lanes.flatMap((lane) => [...lane.busy])
    await Promise.all([
      this.#local.close(),
      this.#predicting.close(),
      ...busy.map((process) => process.close()),
    ])
    await this.#gateway?.close()
  }

  /** A table may have many cases. A node that uses an accelerator has a slot on this machine. */
  #laneOf<T extends WorkerTask>(task: T, params: TaskParams<T>): LaneName {
    if (task === 'predict' && (params as TaskParams<'predict'>).rows) return 'predict'
    if (!this.#gateway || task !== 'node') return LANE_OF[task]
    return (params as TaskParams<'node'>).device === 'cpu' ? 'cluster' : LANE_OF[task]
  }

  /** On the machines of a cluster, the folders of this machine have other paths. */
  #elsewhere<T extends WorkerTask>(params: TaskParams<T>): TaskParams<T> {
    const places = this.options.cluster?.places
    return places ? { ...params, places } : params
  }

  /**
   * With the defaults of the contract. Parameters of a node have none: its config and inputs are checked already, and the worker checks all
   * parameters.
   */
  #complete<T extends WorkerTask>(task: T, params: TaskParams<T>): unknown {
    return task === 'node' ? params : WORKER_TASKS[task].params.parse(params)
  }

  #checked<T extends WorkerTask>(task: T, answer: unknown): TaskResult<T> {
    const checked = WORKER_TASKS[task].result.safeParse(answer)
    if (checked.success) return checked.data as TaskResult<T>
    const places = checked.error.issues.slice(0, 5).map((issue) => issue.path.join('.'))
    this.options.log.warn({ task, places }, 'the result of a worker does not match its schema')
    throw new AppError('TRAINER_FAILED', phrase('task_result_invalid', { task }))
  }

  #acquire(
    lane: Lane,
    key: string | null,
    signal: AbortSignal | undefined,
  ): Promise<WorkerProcess> | WorkerProcess {
    if (this.#closed) throw closing()
    if (signal?.aborted) throw cancelled()
    if (lane === this.#lanes.cluster) this.#gateway?.throwIfUnreachable()
    const user = currentUser()
    if (lane.hasRoomFor(user)) return lane.take(user, key)
    return new Promise((resolve, reject) => {
      const leave = lane.wait({ user, key, since: Date.now(), resolve, reject })
      signal?.addEventListener('abort', () => {
        leave()
        reject(cancelled())
      })
    })
  }
}

/** Predictions of the same checkpoint, and its inputs that are read before, use the same model in memory. */
function keyOf<T extends WorkerTask>(task: T, params: TaskParams<T>): string | null {
  const keepsModel = task === 'predict' || task === 'model_inputs'
  return keepsModel ? (params as TaskParams<'predict' | 'model_inputs'>).checkpoint : null
}

function cancelled(): AppError {
  return new AppError('TRAINER_FAILED', phrase('task_was_canceled'), phrase('try_again'))
}

function closing(): AppError {
  return new AppError('WORKER_TIMEOUT', phrase('service_shutting_down'), phrase('when_service_runs'))
}
