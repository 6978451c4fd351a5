import { type GatewayMessage, phrase } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { Timer } from '../../concurrency/timer.js'
import {
  CLUSTER_PATIENCE_SECONDS,
  GATEWAY_FIRST_RETRIES_MILLISECONDS,
  GATEWAY_LONGEST_RETRY_MILLISECONDS,
} from '../../durations.js'
import { AppError } from '../../errors.js'
import { failureOfProcess } from '../../ports/worker-failures.js'
import type { TaskInFlight } from '../task-in-flight.js'
import type { ProcessSource, WorkerProcess } from '../worker-process.js'
import { ClusterProcess } from './cluster-process.js'
import { GatewayProcess, type GatewayProcessOptions } from './gateway-process.js'

export interface GatewayOptions extends GatewayProcessOptions {
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Time for which nodes wait for an unreachable cluster before they fail. */
  readonly patienceSeconds?: number
}

interface Carried {
  readonly task: TaskInFlight
  /** The process to which it was sent. */
  sentTo: GatewayProcess | undefined
  /** It was in progress when a gateway ended, and is executed a second time: it writes files that are named by their content. */
  repeated: boolean
}

type Message = z.infer<typeof GatewayMessage>

/** The slots of a cluster, reached through one process that is restarted when it ends. */
export class Gateway implements ProcessSource {
  readonly #tasks = new Map<string, Carried>()
  readonly #sizeListeners: ((size: number) => void)[] = []
  #refuse: (error: AppError) => void = () => {}
  #process: GatewayProcess | undefined
  #size = 0
  #connected = false
  /** Reason why the last attempt failed. */
  #reason = ''
  #failures = 0
  readonly #patience = new Timer(() => this.#giveUp())
  readonly #retry = new Timer(() => this.#start())
  #unreachable: AppError | undefined
  #closed = false

  constructor(private readonly options: GatewayOptions) {
    this.#lost()
  }

  /** Number of tasks that the cluster can execute in parallel. */
  get size(): number {
    return this.#size
  }

  /** Reason why nothing can run there, if the problem persists. */
  get problem(): string | null {
    return this.#unreachable?.message ?? null
  }

  /** Id of the process, for tests. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  onSize(listener: (size: number) => void): void {
    this.#sizeListeners.push(listener)
    listener(this.#size)
  }

  onUnreachable(refuse: (error: AppError) => void): void {
    this.#refuse = refuse
  }

  throwIfUnreachable(): void {
    if (this.#unreachable) throw this.#unreachable
  }

  take(): WorkerProcess {
    return new ClusterProcess(this)
  }

  giveBack(): void {
    // The gateway itself keeps workers warm.
  }

  settle(): void {
    // The same applies here.
  }

  carry(task: TaskInFlight): void {
    this.#tasks.set(task.request.id, { task, sentTo: undefined, repeated: false })
    if (this.#connected) this.#send()
  }

  cancel(id: string): void {
    const carried = this.#tasks.get(id)
    this.#tasks.delete(id)
    if (carried?.sentTo && carried.sentTo === this.#process) this.#process.send({ type: 'cancel', id })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#patience.stop()
    this.#retry.stop()
    await this.#process?.close()
  }

  #start(): void {
    const process = new GatewayProcess(this.options, {
      onMessage: (message) => this.#take(message),
      onEnd: (why) => {
        if (this.#process !== process || this.#closed) return
        this.#process = undefined
        if (!this.#reason) this.#reason = why
        this.#lost()
      },
    })
    this.#process = process
  }

  #take(message: Message): void {
    switch (message.type) {
      case 'cluster':
        this.#reached(message.nodes.reduce((sum, { cpus }) => sum + cpus, 0))
        return
      case 'unreachable':
        this.#reason = message.message
        return
    }
    const carried = this.#tasks.get(message.id)
    if (!carried) return
    this.#deliver(carried.task, message)
    if (carried.task.settled) this.#tasks.delete(message.id)
  }

  #deliver(task: TaskInFlight, message: Exclude<Message, { type: 'cluster' | 'unreachable' }>): void {
    switch (message.type) {
      case 'placed':
        task.begin()
        task.request.onPlaced?.({
          node: message.node,
          inputBytes: message.input_bytes,
          localBytes: message.local_bytes,
        })
        return
      case 'waiting':
        // The cluster may have no free CPU for longer than any deadline.
        task.pause()
        return
      case 'ended': {
        const { code, signal, stderr } = message
        task.fail(failureOfProcess(this.options.nodePython, code, signal, stderr))
        return
      }
      case 'lost':
        task.fail(nodeLost(message.message))
        return
      default:
        task.take(message)
    }
  }

  #reached(cpus: number): void {
    this.#patience.stop()
    this.#connected = true
    this.#failures = 0
    this.#reason = ''
    this.#unreachable = undefined
    this.#send()
    this.#resize(Math.min(cpus, this.options.workers ?? cpus))
  }

  /** Send the tasks that were not yet sent to the process. */
  #send(): void {
    for (const carried of this.#tasks.values()) {
      if (carried.sentTo || !this.#process) continue
      carried.sentTo = this.#process
      const { id, task, params } = carried.task.request
      this.#process.send({ type: 'run', id, task, params })
    }
  }

  /** The process has ended: another one is started, and tasks in progress are repeated. */
  #lost(): void {
    this.#connected = false
    this.#resize(0)
    for (const [id, carried] of this.#tasks) this.#interrupt(id, carried)
    if (this.#failures === 0)
      this.#patience.start(1000 * (this.options.patienceSeconds ?? CLUSTER_PATIENCE_SECONDS))
    const pause = GATEWAY_FIRST_RETRIES_MILLISECONDS[this.#failures] ?? GATEWAY_LONGEST_RETRY_MILLISECONDS
    this.#failures++
    this.#retry.start(pause)
  }

  #interrupt(id: string, carried: Carried): void {
    if (!carried.sentTo) return
    carried.sentTo = undefined
    carried.task.pause()
    if (carried.repeated) {
      this.#tasks.delete(id)
      carried.task.fail(nodeLost('the connection to the cluster was lost twice'))
    }
    carried.repeated = true
  }

  /** Fails the tasks that wait. Attempts to reach the cluster continue. */
  #giveUp(): void {
    const { address, log } = this.options
    const why = this.#reason || 'it does not respond'
    const error = new AppError('CLUSTER_UNREACHABLE', phrase('ray_not_responding', { address, reason: why }))
    this.#unreachable = error
    log.warn({ address, why: this.#reason }, 'the cluster for workflow nodes does not respond; trying again')
    for (const { task } of this.#tasks.values()) task.fail(error)
    this.#tasks.clear()
    this.#refuse(error)
  }

  #resize(size: number): void {
    if (size === this.#size) return
    this.#size = size
    for (const listener of this.#sizeListeners) listener(size)
  }
}

function nodeLost(why: string): AppError {
  return new AppError('NODE_FAILED', phrase('two_machines_lost', { reason: why }), phrase('check_ray_status'))
}
