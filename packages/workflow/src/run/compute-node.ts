import type { NodeDefinition, NodeError, Warning, WorkflowNode } from '@medloom/contracts'
import { cacheKey, type KeyParts, keyParts } from '../cache/cache-key.js'
import type { Lease, Origin, ResultCache } from '../cache/result-cache.js'
import type { Hash } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import type { ArrivingValue } from '../plan/input-digests.js'
import type { Outputs } from '../values.js'
import type { Cancellation } from './cancellation.js'
import type { Executors, Task } from './executor.js'
import type { Tokens } from './resource-semaphore.js'
import type { Computed, FlightListener, Flights, Seat } from './single-flight.js'

/** What all nodes of a run share. */
export interface Workshop {
  readonly workflow: string
  readonly executors: Executors
  readonly cache: ResultCache
  readonly tokens: Tokens
  readonly flights: Flights
  readonly hash: Hash
  readonly pause?: Pause
}

export interface Work {
  readonly node: WorkflowNode
  readonly definition: NodeDefinition
  readonly config: Readonly<Record<string, unknown>>
  readonly arriving: readonly ArrivingValue[]
  readonly source: string | null
  readonly forced: boolean
}

export type Step =
  | { readonly kind: 'cached'; readonly key: string; readonly parts: KeyParts; readonly lease: Lease }
  | {
      readonly kind: 'computing'
      readonly key: string
      readonly parts: KeyParts
      readonly seat: Seat
    }

/** Take the result from the cache, or begin to compute it; a computation of the same key that is under way is joined. */
export function beginNode(work: Work, workshop: Workshop, listener: FlightListener): Step {
  const { node, definition, config } = work
  const parts = keyParts(node, definition, config, work.arriving, work.source)
  const key = cacheKey(parts, workshop.hash)
  const lease = work.forced ? undefined : lookUp(workshop.cache, key, definition, listener)
  if (lease) return { kind: 'cached', key, parts, lease }
  const seat = workshop.flights.board(
    key,
    listener,
    (cancellation, everyone) => compute(key, work, workshop, cancellation, everyone),
    work.forced,
  )
  return { kind: 'computing', key, parts, seat }
}

/** The computation was called off before or while it ran. */
export class CalledOff extends Error {
  override readonly name = 'CalledOff'
}

/** An executor gave something other than a value for each of its output ports. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput'
}

/** What went wrong, as it is kept on the node. A `trace` of the thrown thing (a Python one, say) comes before its own stack. */
export function nodeError(thrown: unknown): NodeError {
  if (!(thrown instanceof Error)) return { type: 'Error', message: String(thrown), trace: null }
  const { trace, type } = thrown as { trace?: unknown; type?: unknown }
  return {
    type: typeof type === 'string' ? type : thrown.name,
    message: thrown.message,
    trace: typeof trace === 'string' ? trace : (thrown.stack ?? null),
  }
}

/** A cache that fails, or gives something of another shape, is a miss with a warning. */
function lookUp(
  cache: ResultCache,
  key: string,
  definition: NodeDefinition,
  listener: FlightListener,
): Lease | undefined {
  try {
    const lease = cache.acquire(key)
    if (!lease) return undefined
    const wrong = outputFault(definition, lease.outputs)
    if (!wrong) return lease
    lease.release()
    listener.warn({
      code: 'CACHED_RESULT_UNUSABLE',
      message: `the cached result is not usable (${wrong}); it is computed again`,
    })
  } catch (thrown) {
    listener.warn({
      code: 'CACHED_RESULT_UNUSABLE',
      message: `the cache cannot be read (${nodeError(thrown).message}); the result is computed again`,
    })
  }
  return undefined
}

async function compute(
  key: string,
  { node, definition, config, arriving }: Work,
  workshop: Workshop,
  cancellation: Cancellation,
  everyone: FlightListener,
): Promise<Computed> {
  const execute = Object.hasOwn(workshop.executors, node.type) ? workshop.executors[node.type] : undefined
  if (!execute) throw new Error(`nothing here executes nodes of type "${node.type}"`)
  const giveBack = await workshop.tokens.take(definition.resource, cancellation)
  // Not before: those that wait for a token all had their pause when the one that frees it ends.
  await workshop.pause?.()
  if (!giveBack || cancellation.requested) {
    giveBack?.()
    throw new CalledOff('called off before it started')
  }
  let outputs: Outputs
  const warnings: Warning[] = []
  let job: string | undefined
  try {
    everyone.started()
    const task: Task = {
      node: node.id,
      type: node.type,
      config,
      inputs: byPort(arriving),
      cancellation,
      progress: (fraction, message) => everyone.progress(fraction, message ?? null),
      log: (message) => everyone.log(message),
      warn: (code, message) => {
        warnings.push({ code, message })
        everyone.warn({ code, message })
      },
      job: (jobId) => {
        job = jobId
        everyone.job(jobId)
      },
    }
    outputs = await execute(task)
  } catch (thrown) {
    everyone.failed(thrown)
    throw thrown
  } finally {
    giveBack()
  }
  const wrong = outputFault(definition, outputs)
  if (wrong) throw new InvalidOutput(wrong)
  const story = { ...(warnings.length > 0 ? { warnings } : {}), ...(job === undefined ? {} : { job }) }
  if (Object.keys(story).length > 0)
    outputs = Object.fromEntries(
      Object.entries(outputs).map(([port, value]) => [port, { ...value, ...story }]),
    )
  const origin = { workflow: workshop.workflow, node: node.id, type: node.type }
  return { outputs, lease: await keep(workshop.cache, key, outputs, origin, everyone) }
}

async function keep(
  cache: ResultCache,
  key: string,
  outputs: Outputs,
  origin: Origin,
  everyone: FlightListener,
): Promise<Lease | undefined> {
  try {
    return await cache.put(key, outputs, origin)
  } catch (thrown) {
    everyone.warn({
      code: 'RESULT_NOT_CACHED',
      message: `the result cannot be cached: ${nodeError(thrown).message}`,
    })
    return undefined
  }
}

function byPort(arriving: readonly ArrivingValue[]): Task['inputs'] {
  const inputs: Record<string, Task['inputs'][string][number][]> = {}
  for (const { port, from, value } of arriving) {
    if (!value) continue
    inputs[port] = [...(inputs[port] ?? []), { value, from }]
  }
  return inputs
}

function outputFault({ outputs: ports }: NodeDefinition, outputs: Outputs): string | undefined {
  for (const port of ports) {
    const value = outputs?.[port.name]
    if (!value || typeof value.digest !== 'string' || value.digest === '')
      return `it gives no value with a digest for "${port.name}"`
    if (port.type !== 'any' && value.type !== port.type)
      return `it gives ${value.type} for "${port.name}", which is ${port.type}`
  }
  const extra = Object.keys(outputs).find((name) => !ports.some((port) => port.name === name))
  return extra === undefined ? undefined : `it gives a value for "${extra}", which is none of its outputs`
}
