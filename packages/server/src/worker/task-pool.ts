import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { WORKER_TASKS, type WorkerTask } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { RotatingLog } from '../storage/rotating-log.js'
import { Gateway, type GatewayOptions } from './cluster/gateway.js'
import { Lane } from './lane.js'
import { LocalProcesses } from './local-processes.js'
import { currentUser } from './on-behalf-of.js'
import { type TaskReads, totalSeconds } from './total-seconds.js'
import type { TaskPlace, WorkerProcess } from './worker-process.js'

export type TaskParams<T extends WorkerTask> = z.input<(typeof WORKER_TASKS)[T]['params']>
export type TaskResult<T extends WorkerTask> = z.output<(typeof WORKER_TASKS)[T]['result']>
export interface TaskOptions {
  readonly onProgress?: (fraction: number, message: string) => void
  /** Told of the node of a cluster that it runs on; not where it runs on this machine. */
  readonly onPlaced?: (place: TaskPlace) => void
  /** Ends the task: its process is killed, and only that one. A task that waits for a process no longer does. */
  readonly signal?: AbortSignal
  /** Tables and images that are read: the task has more time in total. */
  readonly reads?: TaskReads
  /** Only a task that waits for a process no longer does; one that runs goes on, and its process stays warm. */
  readonly waits?: AbortSignal
}

/** Short tasks in Python, in processes that stay warm because importing PyTorch takes seconds. */
export interface TaskPool {
  /**
   * @throws AppError with the code that the trainer gave, WORKER_TIMEOUT, TRAINER_FAILED or PYTHON_UNAVAILABLE.
   */
  run<T extends WorkerTask>(task: T, params: TaskParams<T>, options?: TaskOptions): Promise<TaskResult<T>>
  /** Why tasks cannot be worked on, where that lasts; null: they can. */
  problem(): string | null
  /** Tells now and at every change how many nodes of workflows can run on a cluster at a time; never without one. */
  onClusterSize(told: (nodes: number) => void): void
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
  /** Longest time without activity, in seconds. */
  readonly inactivitySeconds?: number
  /** How many times as long a task may take in total that somebody waits for; for tests. */
  readonly deadlines?: number
  /** Seconds without activity after which others no longer wait for a process, and that a wait lasts before it is a problem; for tests. */
  readonly stuckSeconds?: number
  readonly lastingSeconds?: number
  /** How long a second process without a task stays; for tests. */
  readonly warmSeconds?: number
  /** How long the last process without a task stays; 0 or absent: for good. */
  readonly idleSeconds?: number
  /** The cluster that nodes of workflows run on; absent: this machine. */
  readonly cluster?: Omit<GatewayOptions, 'output' | 'log' | 'memory'> & {
    /** Where its machines have the folders that nodes name; absent: in the same place. */
    readonly places?: TaskParams<'node'>['places']
  }
}

type LaneName = 'short' | 'long' | 'view' | 'cluster'

/** Long tasks do not keep short ones waiting, nor either of them somebody who looks at data: each sort has processes of its own. */
const LANE_OF: Record<WorkerTask, Exclude<LaneName, 'cluster'>> = {
  probe: 'short',
  software: 'short',
  inspect: 'short',
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
  image_info: 'view',
  leaks: 'long',
}
const LANE_PROCESSES = 2
/** Processes more for other users, where one user has all of a lane: tasks of minutes keep nobody else waiting. */
const FOR_OTHERS = 1
/** Without any activity for so long, a process no longer keeps others waiting; it is ended later, by its deadline. */
const STUCK_SECONDS = 10
/** How long a second process without a task stays. */
const WARM_SECONDS = 60
/** So long nobody is told that tasks wait for a process. */
const LASTING_SECONDS = 30
/** Generous: a network file system may take a minute to answer. */
const INACTIVITY_SECONDS = 120
const SILENCE_SECONDS: Record<WorkerTask, number> = {
  probe: 60,
  software: 60,
  inspect: 300,
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
  image_info: 300,
  leaks: 1800,
}

export function createTaskPool(options: TaskPoolOptions): TaskPool {
  return new WorkerPool(options)
}

class WorkerPool implements TaskPool {
  readonly #lanes: Readonly<Record<LaneName, Lane>>
  readonly #local: LocalProcesses
  readonly #gateway: Gateway | undefined
  readonly #watch: NodeJS.Timeout
  #closed = false

  constructor(readonly options: TaskPoolOptions) {
    const { python, logs, memory = null, warmSeconds = WARM_SECONDS, idleSeconds = 0, cluster, log } = options
    const output = new RotatingLog(join(logs, 'worker.log'))
    this.#local = new LocalProcesses({ python, log: output, memory, warmSeconds, idleSeconds })
    this.#gateway = cluster && new Gateway({ ...cluster, output, log, memory })
    const stuck = (options.stuckSeconds ?? STUCK_SECONDS) * 1000
    const local = () => new Lane(this.#local, () => LANE_PROCESSES, stuck, FOR_OTHERS)
    const gateway = this.#gateway
    this.#lanes = {
      short: local(),
      long: local(),
      view: local(),
      cluster: gateway ? new Lane(gateway, () => gateway.size, stuck) : local(),
    }
    gateway?.onSize(() => this.#lanes.cluster.serve())
    gateway?.onUnreachable((error) => this.#lanes.cluster.reject(error))
    // Those that wait go on beside processes that are stuck.
    this.#watch = setInterval(() => {
      for (const lane of Object.values(this.#lanes)) lane.serve()
    }, stuck / 2)
    this.#watch.unref()
  }

  async run<T extends WorkerTask>(
    task: T,
    params: TaskParams<T>,
    { signal, waits, onProgress, onPlaced, reads = {} }: TaskOptions = {},
  ): Promise<TaskResult<T>> {
    const name = this.#laneOf(task, params)
    const lane = this.#lanes[name]
    const { inactivitySeconds = INACTIVITY_SECONDS, deadlines } = this.options
    const process = await this.#acquire(lane, signal ?? waits)
    const kill = () => void process.close()
    signal?.addEventListener('abort', kill)
    // It may have been cancelled since the process was taken.
    if (signal?.aborted) kill()
    try {
      const answer = await process.run({
        id: randomUUID(),
        task,
        params: WORKER_TASKS[task].params.parse(name === 'cluster' ? this.#elsewhere(params) : params),
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
      return `${waiting} ${name} tasks wait for a process of the workers, the first for ${seconds} s; ${stuck} of ${busy.size} processes show no activity`
    }
    return null
  }

  onClusterSize(told: (nodes: number) => void): void {
    this.#gateway?.onSize(told)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    const lanes = Object.values(this.#lanes)
    for (const lane of lanes) lane.reject(closing())
    const busy = lanes.flatMap((lane) => [...lane.busy])
    await Promise.all([this.#local.close(), ...busy.map((process) => process.close())])
    await this.#gateway?.close()
  }

  /** A node that computes with an accelerator has been given one of this machine. */
  #laneOf<T extends WorkerTask>(task: T, params: TaskParams<T>): LaneName {
    if (!this.#gateway || task !== 'node') return LANE_OF[task]
    return (params as TaskParams<'node'>).device === 'cpu' ? 'cluster' : LANE_OF[task]
  }

  /** On the machines of a cluster a node finds the folders of this one by other paths. */
  #elsewhere<T extends WorkerTask>(params: TaskParams<T>): TaskParams<T> {
    const places = this.options.cluster?.places
    return places ? { ...params, places } : params
  }

  #checked<T extends WorkerTask>(task: T, answer: unknown): TaskResult<T> {
    const checked = WORKER_TASKS[task].result.safeParse(answer)
    if (checked.success) return checked.data as TaskResult<T>
    const places = checked.error.issues.slice(0, 5).map((issue) => issue.path.join('.'))
    this.options.log.warn({ task, places }, 'the result of a worker violates the contract')
    throw new AppError('TRAINER_FAILED', `the result of the ${task} task violates the contract`)
  }

  #acquire(lane: Lane, signal: AbortSignal | undefined): Promise<WorkerProcess> | WorkerProcess {
    if (this.#closed) throw closing()
    if (signal?.aborted) throw cancelled()
    if (lane === this.#lanes.cluster) this.#gateway?.throwIfUnreachable()
    const user = currentUser()
    if (lane.hasRoomFor(user)) return lane.take(user)
    return new Promise((resolve, reject) => {
      const leave = lane.wait({ user, since: Date.now(), resolve, reject })
      signal?.addEventListener('abort', () => {
        leave()
        reject(cancelled())
      })
    })
  }
}

function cancelled(): AppError {
  return new AppError('TRAINER_FAILED', 'the task was cancelled', 'Ask again.')
}

function closing(): AppError {
  return new AppError('WORKER_TIMEOUT', 'the service is closing', 'Ask again when it runs.')
}
