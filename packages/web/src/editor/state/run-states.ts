import type { NodeState, RouteResponse, WorkflowMessage } from '@medloom/contracts'
import { FrameThrottle } from '../../app/frame-throttle'

type Status = RouteResponse<'getWorkflowStatus'>
type RunSummary = Omit<Status, 'nodes' | 'workflow_id'> & { readonly reason: string | null }

const NEW: NodeState = {
  status: 'pending',
  reason: null,
  progress: 0,
  message: null,
  error: null,
  started_at: null,
  duration: null,
  outputs: {},
}
const IDLE: RunSummary = { run_id: null, status: 'pending', progress: 0, reason: null }

/**
 * States of the nodes in the latest run. They are outside the document and the render state: each node is notified only of its own state,
 * at most once per frame, independent of the number of messages.
 */
export class RunStates {
  #nodes = new Map<string, NodeState>()
  #summary = IDLE
  readonly #ofNode = new Map<string, Set<() => void>>()
  readonly #ofRun = new Set<() => void>()
  readonly #dirty = new Set<string>()
  readonly #notify = new FrameThrottle(() => this.#notifyListeners())

  readonly node = (id: string): NodeState | undefined => this.#nodes.get(id)
  readonly summary = (): RunSummary => this.#summary

  /** Failed nodes with their errors. */
  readonly failures = (): readonly (readonly [string, NonNullable<NodeState['error']>])[] =>
    [...this.#nodes].flatMap(([id, { error }]) => (error ? [[id, error]] : []))

  /** The first failed node, which may be the reason why others were skipped. */
  readonly firstFailedNode = (): string | null => {
    for (const [id, { status }] of this.#nodes) if (status === 'error') return id
    return null
  }

  subscribeNode(id: string, listener: () => void): () => void {
    const listeners = this.#ofNode.get(id) ?? new Set()
    this.#ofNode.set(id, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#ofRun.add(listener)
    return () => this.#ofRun.delete(listener)
  }

  replace({ nodes, workflow_id: _, ...summary }: Status, reason: string | null = null): void {
    for (const id of [...this.#nodes.keys(), ...Object.keys(nodes)]) this.#dirty.add(id)
    this.#nodes = new Map(Object.entries(nodes))
    this.#summary = { ...summary, reason }
    this.#notify.request()
  }

  apply(message: WorkflowMessage): void {
    if (message.type === 'snapshot') {
      this.replace(message.state)
      return
    }
    if (message.run_id !== this.#summary.run_id) this.#reset(message.run_id)
    if (message.type === 'run_status')
      this.#summary = { ...this.#summary, status: message.status, reason: message.reason }
    if (message.type === 'node_status') this.#change(message.node, message.state)
    if (message.type === 'progress') {
      const { node, progress, message: text, message_phrases: phrases } = message
      if (node === null) this.#summary = { ...this.#summary, progress }
      else this.#change(node, { progress, message: text, ...(phrases ? { message_phrases: phrases } : {}) })
    }
    if (message.type === 'artifact') {
      const { node, port, output } = message
      this.#change(node, { outputs: { ...(this.#nodes.get(node) ?? NEW).outputs, [port]: output } })
    }
    this.#notify.request()
  }

  #reset(run_id: string): void {
    for (const id of this.#nodes.keys()) this.#dirty.add(id)
    this.#nodes = new Map()
    this.#summary = { ...IDLE, run_id }
  }

  /** The phrases of a message are replaced with it, also by none. */
  #change(id: string, change: Partial<NodeState>): void {
    const { message_phrases: phrases, ...before } = this.#nodes.get(id) ?? NEW
    const phrasesOfMessage = phrases && change.message === undefined ? { message_phrases: phrases } : {}
    this.#nodes.set(id, { ...before, ...phrasesOfMessage, ...change })
    this.#dirty.add(id)
  }

  #notifyListeners(): void {
    const ids = [...this.#dirty]
    this.#dirty.clear()
    for (const id of ids) for (const listener of this.#ofNode.get(id) ?? []) listener()
    for (const listener of this.#ofRun) listener()
  }
}
