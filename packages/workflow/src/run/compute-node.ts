import {
  type NodeDefinition,
  type NodeError,
  type Phrase,
  phrase,
  type Warning,
  type WorkflowNode,
  warningOf,
} from '@medloom/contracts'
import type { KeyContext } from '../cache/key-context.js'
import type { Lease, Origin, ResultCache } from '../cache/result-cache.js'
import type { Hash } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import { type ArrivingValue, byPort } from '../plan/input-digests.js'
import type { Outputs } from '../values.js'
import type { Cancellation } from './cancellation.js'
import type { Executors } from './executor.js'
import type { ResourceSemaphore } from './resource-semaphore.js'
import type { ComputationListener, Computed, SingleFlight } from './single-flight.js'

/** Context shared by all nodes of a run. */
export interface RunContext {
  readonly workflow: string
  readonly executors: Executors
  readonly cache: Pick<ResultCache, 'put'>
  /** Looks a result up in the cache and leases it. */
  readonly acquire: (key: string) => Promise<Lease | undefined>
  readonly resources: ResourceSemaphore
  readonly singleFlight: SingleFlight
  readonly hash: Hash
  readonly pause?: Pause
}

/** One node of a run whose inputs are available. */
export interface NodeWork {
  readonly node: WorkflowNode
  readonly definition: NodeDefinition
  readonly config: Readonly<Record<string, unknown>>
  readonly arriving: readonly ArrivingValue[]
  readonly keyContext: KeyContext
  readonly forced: boolean
}

/**
 * Takes the result of a node from the cache, or computes and stores it. Both are one computation of the single flight: a run that requests
 * the key at the same time joins it, and cannot miss the result between its lookup and the end of the computation.
 */
export async function computeNode(
  key: string,
  work: NodeWork,
  context: RunContext,
  cancellation: Cancellation,
  everyone: ComputationListener,
): Promise<Computed> {
  const lease = work.forced ? undefined : await lookUp(key, work.definition, context, everyone)
  if (lease) return { outputs: lease.outputs, lease, cached: true }
  const outputs = await execute(key, work, context, cancellation, everyone)
  // Nodes that use them start now, but run only after this function has passed them to the cache, which keeps their files.
  everyone.computed(outputs)
  const origin = { workflow: context.workflow, node: work.node.id, type: work.node.type }
  return { outputs, lease: await keep(context.cache, key, outputs, origin, everyone), cached: false }
}

/** The computation was canceled before it started. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

/** An executor did not return one value for each of its output ports. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput'
}

/** Facts that a thrown error may carry. */
interface Described {
  readonly trace: unknown
  readonly type: unknown
  readonly message_phrases: readonly Phrase[]
}

/** The error in the form stored on the node. A `trace` of the thrown error (for example from Python) precedes its own stack. */
export function nodeError(thrown: unknown): NodeError {
  if (!(thrown instanceof Error)) return { type: 'Error', message: String(thrown), trace: null }
  const { trace, type, message_phrases: phrases } = thrown as Partial<Described>
  return {
    type: typeof type === 'string' ? type : thrown.name,
    message: thrown.message,
    ...(phrases ? { message_phrases: [...phrases] } : {}),
    trace: typeof trace === 'string' ? trace : (thrown.stack ?? null),
  }
}

/** A cache that fails, or returns data of another shape, is a miss with a warning. */
async function lookUp(
  key: string,
  definition: NodeDefinition,
  context: RunContext,
  everyone: ComputationListener,
): Promise<Lease | undefined> {
  try {
    const lease = await context.acquire(key)
    if (!lease) return undefined
    const problem = outputProblem(definition, lease.outputs)
    if (!problem) return lease
    lease.release()
    everyone.warn(warningOf('CACHED_RESULT_UNUSABLE', [phrase('cache_unusable', { reason: problem })]))
  } catch (thrown) {
    const line = phrase('cache_unreadable', { reason: nodeError(thrown).message })
    everyone.warn(warningOf('CACHED_RESULT_UNUSABLE', [line]))
  }
  return undefined
}

/** Outputs of the executor, once its resource is free, with its warnings and the job that did the work. */
async function execute(
  key: string,
  { node, definition, config, arriving, keyContext }: NodeWork,
  context: RunContext,
  cancellation: Cancellation,
  everyone: ComputationListener,
): Promise<Outputs> {
  const executor = Object.hasOwn(context.executors, node.type) ? context.executors[node.type] : undefined
  if (!executor) throw new Error(`there is no executor for nodes of type "${node.type}"`)
  const release = await context.resources.acquire(definition.resource, cancellation, context, () =>
    everyone.waits(definition.resource),
  )
  // Called only after the wait: all waiting nodes would otherwise have paused before the resource becomes free.
  await context.pause?.()
  if (!release || cancellation.requested) {
    release?.()
    throw new Cancelled('canceled before it started')
  }
  const warnings: Warning[] = []
  let job: string | undefined
  let outputs: Outputs
  try {
    everyone.started()
    outputs = await executor({
      node: node.id,
      type: node.type,
      config,
      key,
      inputs: byPort(arriving),
      implicit: keyContext.implicit,
      cancellation,
      progress: (fraction, message, phrases) => everyone.progress(fraction, message ?? null, phrases),
      log: (message) => everyone.log(message),
      warn: (code, message, phrases) => {
        const warning = { code, message, ...(phrases ? { message_phrases: [...phrases] } : {}) }
        warnings.push(warning)
        everyone.warn(warning)
      },
      job: (jobId) => {
        job = jobId
        everyone.job(jobId)
      },
    })
  } catch (thrown) {
    everyone.failed(thrown)
    throw thrown
  } finally {
    release()
  }
  const problem = outputProblem(definition, outputs)
  if (problem) throw new InvalidOutput(problem)
  return annotated(outputs, warnings, job)
}

function annotated(outputs: Outputs, warnings: readonly Warning[], job: string | undefined): Outputs {
  if (warnings.length === 0 && job === undefined) return outputs
  const notes = { ...(warnings.length > 0 ? { warnings } : {}), ...(job === undefined ? {} : { job }) }
  return Object.fromEntries(Object.entries(outputs).map(([port, value]) => [port, { ...value, ...notes }]))
}

async function keep(
  cache: Pick<ResultCache, 'put'>,
  key: string,
  outputs: Outputs,
  origin: Origin,
  everyone: ComputationListener,
): Promise<Lease | undefined> {
  try {
    return await cache.put(key, outputs, origin)
  } catch (thrown) {
    const line = phrase('not_cached', { reason: nodeError(thrown).message })
    everyone.warn(warningOf('RESULT_NOT_CACHED', [line]))
    return undefined
  }
}

function outputProblem({ outputs: ports }: NodeDefinition, outputs: Outputs): string | undefined {
  for (const port of ports) {
    const value = outputs?.[port.name]
    if (!value || typeof value.digest !== 'string' || value.digest === '')
      return `output ${port.name} has no value with a digest`
    if (port.type !== 'any' && value.type !== port.type)
      return `output ${port.name} is ${value.type}, not ${port.type}`
  }
  const extra = Object.keys(outputs).find((name) => !ports.some((port) => port.name === name))
  return extra === undefined ? undefined : `"${extra}" is not an output of the node`
}
