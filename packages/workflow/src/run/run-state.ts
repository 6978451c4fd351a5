import {
  fieldsOf,
  type NodeError,
  type NodeState,
  type NodeStatus,
  nodeCanBecome,
  type Phrase,
  type Resource,
  type RunStatus,
  runCanBecome,
  type Text,
  type Warning,
  type WarningCode,
} from '@medloom/contracts'
import type { Outputs, PlacedPaths } from '../values.js'
import type { Clock } from './clock.js'
import { LineLimit } from './line-limit.js'
import { Throttle } from './throttle.js'

/** Events of a running run: progress of each node and of the run at most ten times a second. */
export type RunEvent =
  | { readonly type: 'node_status'; readonly node: string; readonly state: NodeState }
  | {
      readonly type: 'progress'
      readonly node: string | null
      readonly progress: number
      readonly message: string | null
      readonly message_phrases?: Phrase[] | undefined
    }
  | {
      readonly type: 'log'
      readonly node: string
      readonly level: 'info' | 'warning'
      /** Code of a warning. */
      readonly code?: WarningCode
      readonly message: string
    }
  | ({ readonly type: 'run_status'; readonly status: RunStatus } & Reason)

export const PROGRESS_INTERVAL = 100
/** Shorter waits are not reported: the start of the work is reported instead. */
export const REPORTED_WAIT = 1000
/** Maximum number of warnings on a node; the log contains all of them. */
const MAX_WARNINGS = 100

/** States of one run: the only place that changes them, following the transition tables of the contracts. */
export class RunState {
  status: RunStatus = 'pending'
  readonly nodes = new Map<string, NodeState>()
  private readonly startedAt = new Map<string, number>()
  private readonly throttles = new Map<string, Throttle<[number, NodeMessage]>>()
  private readonly logs = new Map<string, LineLimit>()
  private readonly waits = new Map<string, () => void>()
  private readonly overall: Throttle<number>
  /** Finished and running nodes: the progress of the running ones is summed each time, so that rounding errors do not accumulate. */
  private finished = 0
  private readonly running = new Set<string>()
  private listenerError: { readonly thrown: unknown } | undefined

  constructor(
    nodeIds: readonly string[],
    private readonly clock: Clock,
    private readonly listener: (event: RunEvent) => void,
  ) {
    for (const id of nodeIds) this.nodes.set(id, PENDING_NODE)
    this.overall = new Throttle(clock, PROGRESS_INTERVAL, (progress) =>
      this.emit({ type: 'progress', node: null, progress, message: null }),
    )
  }

  /** Share of finished nodes; running nodes count in part. */
  get progress(): number {
    let sum = this.finished
    for (const id of this.running) sum += this.node(id).progress
    return this.nodes.size === 0 ? 1 : sum / this.nodes.size
  }

  node(id: string): NodeState {
    return this.nodes.get(id) ?? PENDING_NODE
  }

  runBecomes(status: RunStatus, reason: Text | null = null): void {
    if (!runCanBecome(this.status, status))
      throw new Error(`a run cannot change from ${this.status} to ${status}`)
    this.status = status
    if (status !== 'running') {
      this.overall.push(this.progress)
      this.overall.flush()
      for (const throttle of this.throttles.values()) throttle.stop()
    }
    this.emit({ type: 'run_status', status, ...reasonOf(reason) })
  }

  /** The inputs are available. Reported together with the next change, so that a large run sends no additional message. */
  nodeQueued(id: string): void {
    this.nodes.set(id, { ...this.node(id), queued_at: moment(this.clock.now()) })
  }

  /** The node waits, because other nodes use the resource. */
  nodeWaits(id: string, waits_for: Resource): void {
    if (this.node(id).status !== 'pending') return
    this.nodes.set(id, { ...this.node(id), waits_for })
    const notify = () => this.emit({ type: 'node_status', node: id, state: this.node(id) })
    this.waits.get(id)?.()
    this.waits.set(id, this.clock.after(REPORTED_WAIT, notify))
  }

  nodeBecomes(
    id: string,
    status: NodeStatus,
    more: {
      reason?: Text
      error?: NodeError
      outputs?: Outputs
      places?: PlacedPaths
    } = {},
  ): void {
    const { waits_for: _, message, message_phrases: phrases, reason_phrases: __, ...before } = this.node(id)
    this.waits.get(id)?.()
    this.waits.delete(id)
    if (!nodeCanBecome(before.status, status))
      throw new Error(`node "${id}" cannot change from ${before.status} to ${status}`)
    const now = this.clock.now()
    if (status === 'running') {
      this.startedAt.set(id, now)
      this.running.add(id)
    } else {
      this.running.delete(id)
      if (status === 'success' || status === 'cached') this.finished++
    }
    const startedAt = this.startedAt.get(id)
    const made = Object.values(more.outputs ?? {})
    const job = made.find((value) => value.job !== undefined)?.job
    this.throttles.get(id)?.stop()
    this.logs.get(id)?.flush()
    const progress = status === 'success' || status === 'cached' ? 1 : before.progress
    this.change(id, {
      ...before,
      status,
      progress,
      ...reasonOf(more.reason ?? null),
      // Last action of a failed node; a successful node has none.
      ...(status === 'error' ? messageOf(message, phrases) : messageOf(null)),
      error: more.error ?? null,
      started_at: startedAt === undefined ? null : moment(startedAt),
      ...(status === 'running' || before.queued_at === undefined ? {} : { ended_at: moment(now) }),
      duration: startedAt === undefined || status === 'running' ? null : (now - startedAt) / 1000,
      outputs: summaries(more.outputs, more.places),
      ...(job === undefined ? {} : { job_id: job }),
      ...withWarnings(
        before,
        made.flatMap(({ warnings = [] }) => warnings),
      ),
    })
    this.emit({ type: 'node_status', node: id, state: this.node(id) })
  }

  nodeProgress(id: string, fraction: number, message: string | null, phrases?: readonly Phrase[]): void {
    const { message: lastMessage, message_phrases: lastPhrases, ...before } = this.node(id)
    if (before.status !== 'running' || !Number.isFinite(fraction)) return
    const progress = Math.min(1, Math.max(before.progress, fraction))
    const shown = message === null ? messageOf(lastMessage, lastPhrases) : messageOf(message, phrases)
    this.change(id, { ...before, progress, ...shown })
    let throttle = this.throttles.get(id)
    if (!throttle) {
      throttle = new Throttle(this.clock, PROGRESS_INTERVAL, ([value, latest]) =>
        this.emit({ type: 'progress', node: id, progress: value, ...latest }),
      )
      this.throttles.set(id, throttle)
    }
    throttle.push([progress, shown])
  }

  nodeJob(id: string, jobId: string): void {
    this.nodes.set(id, { ...this.node(id), job_id: jobId })
    this.emit({ type: 'node_status', node: id, state: this.node(id) })
  }

  log(node: string, message: string): void {
    let lines = this.logs.get(node)
    if (!lines) {
      lines = new LineLimit(this.clock, (line) =>
        this.emit({ type: 'log', node, level: 'info', message: line }),
      )
      this.logs.set(node, lines)
    }
    lines.push(message)
  }

  warn(node: string, warning: Warning): void {
    const { code, message } = warning
    this.emit({ type: 'log', node, level: 'warning', code, message })
    this.nodes.set(node, { ...this.node(node), ...withWarnings(this.node(node), [warning]) })
    this.emit({ type: 'node_status', node, state: this.node(node) })
  }

  /** A listener that throws does not stop the run; its first error is rethrown when the run has ended. */
  rethrowListenerError(): void {
    if (this.listenerError) throw this.listenerError.thrown
  }

  private change(id: string, state: NodeState): void {
    this.nodes.set(id, state)
    this.overall.push(this.progress)
  }

  private emit(event: RunEvent): void {
    try {
      this.listener(event)
    } catch (thrown) {
      this.listenerError ??= { thrown }
    }
  }
}

/** Initial state of a node. */
export const PENDING_NODE: NodeState = {
  status: 'pending',
  reason: null,
  progress: 0,
  message: null,
  error: null,
  started_at: null,
  duration: null,
  outputs: {},
}

type NodeMessage = Pick<NodeState, 'message' | 'message_phrases'>

function messageOf(message: string | null, phrases?: readonly Phrase[]): NodeMessage {
  return { message, ...(phrases ? { message_phrases: [...phrases] } : {}) }
}

type Reason = Pick<NodeState, 'reason' | 'reason_phrases'>

export function reasonOf(reason: Text | null): Reason {
  return reason === null ? { reason } : fieldsOf('reason', reason)
}

function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Each once, in the order of their arrival. */
function withWarnings(
  { warnings = [] }: Pick<NodeState, 'warnings'>,
  more: readonly Warning[],
): Pick<NodeState, 'warnings'> {
  const distinct = new Map([...warnings, ...more].map((warning) => [JSON.stringify(warning), warning]))
  const all = [...distinct.values()].slice(0, MAX_WARNINGS)
  return all.length === 0 ? {} : { warnings: all }
}

function summaries(outputs: Outputs = {}, places: PlacedPaths = {}): NodeState['outputs'] {
  return Object.fromEntries(
    Object.entries(outputs).map(([port, { type, summary, summary_phrases: phrases, digest }]) => {
      const files = places[port]
      const optional = {
        ...(phrases ? { summary_phrases: [...phrases] } : {}),
        ...(files ? { files: [...files] } : {}),
      }
      return [port, { type, summary, digest, ...optional }]
    }),
  )
}
