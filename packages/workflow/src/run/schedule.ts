import { PHRASES } from '@medloom/contracts'
import { batchedAcquire } from '../cache/batched-acquire.js'
import { cacheKey, keyParts, readsOutside } from '../cache/cache-key.js'
import { EMPTY_KEY_CONTEXT, type KeyContext, softwareOf, type Versions } from '../cache/key-context.js'
import type { Hash } from '../cache/sha256.js'
import { implicitInputs } from '../plan/implicit-inputs.js'
import { inputDigests } from '../plan/input-digests.js'
import type { Scope } from '../plan/scope.js'
import type { Outputs, PlacedPaths } from '../values.js'
import type { Cancellation } from './cancellation.js'
import { Cancelled, computeNode, type NodeWork, nodeError, type RunContext } from './compute-node.js'
import { HeldEvents } from './held-events.js'
import type { Made, RunOptions } from './run-options.js'
import type { RunState } from './run-state.js'
import type { ComputationListener, Subscription } from './single-flight.js'

type Options = RunOptions & { readonly cancellation: Cancellation; readonly hash: Hash }

/** A node whose inputs are available while its external data is looked up. */
type NodeBefore = Omit<NodeWork, 'keyContext'>

const CANCEL_GRACE = 5000

/** Scheduler of one run: starts ready nodes, and reacts when a node ends. */
export class Schedule {
  /** The first node that failed. */
  failed: string | undefined
  readonly made = new Map<string, Made>()
  private readonly outputs = new Map<number, Outputs>()
  /** By node: number of incoming connections without a value. */
  private readonly waiting: number[]
  private readonly ready: number[]
  private next = 0
  private starting = false
  /** Active nodes, each with its cancel function: `all` after a cancellation, otherwise only work that has not started. */
  private readonly active = new Map<number, (all: boolean) => void>()
  /** Active nodes whose outputs others already use. */
  private readonly unstored = new Set<number>()
  private readonly held: HeldEvents
  private readonly releases: (() => void)[] = []
  private readonly arrivingAt: ReturnType<typeof inputDigests>
  private readonly context: RunContext
  /** Versions of the software that nodes use, once they are known. */
  private versions: Versions | undefined
  private ended: () => void = () => {}

  constructor(
    private readonly options: Options,
    private readonly scope: Extract<Scope, { ok: true }>,
    private readonly state: RunState,
  ) {
    const { graph } = options.validated
    this.waiting = graph.incoming.map((links) => links.length)
    this.ready = scope.order.filter((number) => this.waiting[number] === 0)
    this.arrivingAt = inputDigests(options.validated, options.hash)
    this.held = new HeldEvents(graph)
    this.context = { ...options, acquire: batchedAcquire(options.cache) }
  }

  /** Ends when nothing is active and nothing more can start. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.ended = resolve
      this.releases.push(this.options.cancellation.onRequest(() => this.cancel()))
      this.startReady()
    })
  }

  /** Leaves the computations of this run when it has ended, which releases their leases. */
  release(): void {
    for (const release of this.releases.splice(0)) release()
  }

  /** Nodes that become ready during the loop are started by it, without recursion. */
  private startReady(): void {
    if (this.starting) return
    this.starting = true
    while (this.next < this.ready.length) {
      const number = this.ready[this.next++] ?? -1
      if (this.failed !== undefined || this.options.cancellation.requested) continue
      this.start(number)
      const waits = this.options.pause?.()
      if (!waits) continue
      void waits.then(() => {
        this.starting = false
        this.startReady()
      })
      return
    }
    this.starting = false
    if (this.active.size === 0) this.ended()
  }

  private start(number: number): void {
    const { validated } = this.options
    const node = validated.graph.nodes[number]
    const definition = validated.definitions[number]
    const config = validated.configs[number]
    const arriving = this.arrivingAt(number, (feeding) => this.outputs.get(feeding))
    if (!node || !definition || !config || !arriving)
      throw new Error('the scope contains a node that cannot run')
    const work = { node, definition, config, arriving, forced: this.scope.force.has(number) }
    this.active.set(number, () => this.settle(number, () => {}))
    this.held.begin(number, this.unstored)
    this.state.nodeQueued(node.id)
    const known = this.knownKeyContext(work)
    if (known) {
      this.proceed(number, { ...work, keyContext: known })
      return
    }
    this.keyContextOf(number, work).then(
      (keyContext) => {
        if (this.active.has(number)) this.proceed(number, { ...work, keyContext })
      },
      (thrown) => this.end(number, thrown),
    )
  }

  /** Most nodes need no external data and start immediately. */
  private knownKeyContext({ definition, config }: NodeBefore): KeyContext | undefined {
    if (readsOutside(definition, config) || definition.implicit_inputs) return undefined
    if (!definition.software) return EMPTY_KEY_CONTEXT
    return this.versions && { ...EMPTY_KEY_CONTEXT, software: softwareOf(definition, this.versions) }
  }

  private async keyContextOf(
    number: number,
    { node, definition, config, arriving }: NodeBefore,
  ): Promise<KeyContext> {
    const { validated, sourceDigest, software, implicitInput } = this.options
    const reads = readsOutside(definition, config)
    if ((reads && !sourceDigest) || (definition.software && !software))
      throw new Error('inputs from outside the workflow cannot be read here')
    if (definition.software) this.versions ??= await software?.()
    return {
      source: reads && sourceDigest ? await sourceDigest(node, config) : null,
      software: softwareOf(definition, this.versions ?? {}),
      implicit: await implicitInputs(
        validated,
        number,
        arriving,
        (feeding) => this.outputs.get(feeding),
        implicitInput,
      ),
    }
  }

  private proceed(number: number, work: NodeWork): void {
    const { node, definition, config, arriving, keyContext, forced } = work
    let parts: Made['parts']
    let key: string
    try {
      parts = keyParts(node, definition, config, arriving, keyContext, this.options.hash)
      key = cacheKey(parts, this.options.hash)
    } catch (thrown) {
      this.end(number, thrown)
      return
    }
    const subscription = this.context.singleFlight.join(
      key,
      this.listenerOf(number, node.id),
      (cancellation, everyone) => computeNode(key, work, this.context, cancellation, everyone),
      forced,
    )
    this.releases.push(() => subscription.leave())
    this.active.set(number, (all) => this.cancelNode(number, subscription, all))
    subscription.result.then(
      ({ outputs, cached }) => {
        const status = cached ? 'cached' : 'success'
        this.held.after(number, () => this.place(number, status, { key, parts, outputs }))
      },
      (thrown) => this.end(number, thrown),
    )
  }

  /**
   * Lets the nodes that use the outputs start while they are stored, which takes as long as a fast node. Files are at their destinations
   * before.
   */
  private computed(number: number, outputs: Outputs): void {
    if (!this.active.has(number) || this.unstored.has(number) || this.options.place?.(outputs)) return
    this.unstored.add(number)
    this.supply(number, outputs)
    this.startReady()
  }

  /** A node is done once the files of its result are at their destinations. */
  private place(number: number, status: 'cached' | 'success', made: Made): void {
    if (!this.active.has(number)) return
    const placing = this.options.place?.(made.outputs)?.()
    const placed = (places?: PlacedPaths) =>
      this.settle(number, () => this.deliver(number, status, made, places))
    if (!placing) {
      placed()
      return
    }
    this.active.set(number, () => {}) // A write is not canceled.
    placing.then(placed, (thrown) => this.settle(number, () => this.fail(number, thrown)))
  }

  /** The end of a node counts once; the later end of an abandoned node is ignored. */
  private settle(number: number, apply: () => void): void {
    if (!this.active.delete(number)) return
    this.held.drop(number)
    apply()
    if (this.unstored.delete(number)) this.held.release(number)
    this.startReady()
  }

  private deliver(number: number, status: 'cached' | 'success', made: Made, places?: PlacedPaths): void {
    const { parts, outputs } = made
    if (!this.unstored.has(number)) this.supply(number, outputs)
    this.made.set(parts.id, made)
    this.state.nodeBecomes(parts.id, status, {
      outputs,
      ...(places ? { places } : {}),
      ...(status === 'cached' ? { reason: { english: PHRASES.node_cached } } : {}),
    })
  }

  private supply(number: number, outputs: Outputs): void {
    this.outputs.set(number, outputs)
    for (const target of this.options.validated.graph.outgoing[number] ?? []) {
      const remaining = (this.waiting[target] ?? 0) - 1
      this.waiting[target] = remaining
      if (remaining === 0 && this.scope.needed[target]) this.ready.push(target)
    }
  }

  /** The node has failed, unless the run was cancelled. */
  private end(number: number, thrown: unknown): void {
    this.held.after(number, () => this.settle(number, () => this.fail(number, thrown)))
  }

  /** Work that ends because of a cancellation has not failed. */
  private fail(number: number, thrown: unknown): void {
    if (thrown instanceof Cancelled || this.options.cancellation.requested) return
    const id = this.options.validated.graph.nodes[number]?.id ?? ''
    if (this.state.node(id).status === 'pending') this.state.nodeBecomes(id, 'running')
    this.state.nodeBecomes(id, 'error', { error: nodeError(thrown) })
    this.failed ??= id
    for (const cancel of [...this.active.values()]) cancel(false)
  }

  private cancel(): void {
    for (const cancel of [...this.active.values()]) cancel(true)
    if (this.active.size === 0) return
    const leaveBehind = () => {
      for (const number of [...this.active.keys()]) this.settle(number, () => {})
    }
    this.releases.push(this.options.clock.after(this.options.cancelGrace ?? CANCEL_GRACE, leaveBehind))
  }

  /** Started work without other subscribers is given time to end. */
  private cancelNode(number: number, subscription: Subscription, all: boolean): void {
    const begun = subscription.begun()
    if (begun && !all) return
    const last = subscription.leave()
    if (!begun || !last) this.settle(number, () => {})
  }

  private listenerOf(number: number, id: string): ComputationListener {
    const then = (apply: () => void) => this.held.after(number, apply)
    return {
      waits: (resource) => then(() => this.state.nodeWaits(id, resource)),
      started: () =>
        then(() => {
          if (this.state.node(id).status === 'pending') this.state.nodeBecomes(id, 'running')
        }),
      progress: (...args) => then(() => this.state.nodeProgress(id, ...args)),
      log: (message) => then(() => this.state.log(id, message)),
      warn: (warning) => then(() => this.state.warn(id, warning)),
      job: (jobId) => then(() => this.state.nodeJob(id, jobId)),
      computed: (outputs) => this.computed(number, outputs),
      failed: (thrown) => this.end(number, thrown),
    }
  }
}
