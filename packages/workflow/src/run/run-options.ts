import type { NodeState, RunStatus, WorkflowIssue } from '@medloom/contracts'
import type { KeyParts } from '../cache/cache-key.js'
import type { Versions } from '../cache/key-context.js'
import type { ResultCache } from '../cache/result-cache.js'
import type { Hash } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import type { SupplyImplicit } from '../plan/implicit-inputs.js'
import type { PlanRequest } from '../plan/scope.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs, PlacedPaths } from '../values.js'
import type { Cancellation } from './cancellation.js'
import type { Clock } from './clock.js'
import type { Executors } from './executor.js'
import type { ResourceSemaphore } from './resource-semaphore.js'
import type { RunEvent } from './run-state.js'
import type { SingleFlight } from './single-flight.js'

export interface RunOptions extends PlanRequest {
  /** Name of the workflow, under which its results are cached. */
  readonly workflow: string
  readonly validated: Validated
  /** Issues beyond those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly executors: Executors
  readonly cache: ResultCache
  readonly clock: Clock
  /** Shared by all runs. */
  readonly resources: ResourceSemaphore
  /** Shared by all runs. */
  readonly singleFlight: SingleFlight
  /** Digest of what a node reads from outside the workflow. What it throws is an error of that node. */
  readonly sourceDigest?: SourceDigest
  /** The versions of the software that nodes use. What it throws is an error of every node whose definition names software. */
  readonly software?: () => Promise<Versions>
  /** The implicit inputs of nodes. What it throws is an error of that node. */
  readonly implicitInput?: SupplyImplicit
  /**
   * Put the files that a result names in their places, whether it was computed now or cached, and say where. Nothing to do: undefined.
   * What it throws is an error of that node.
   */
  readonly place?: (outputs: Outputs) => Promise<PlacedPaths> | undefined
  readonly cancellation?: Cancellation
  /** Milliseconds that running nodes have to end after a cancellation; absent: 5000. */
  readonly cancelGrace?: number
  /** Must not throw; what it throws is thrown when the run has ended. */
  readonly onEvent?: (event: RunEvent) => void
  readonly hash?: Hash
  /** Asked between nodes, so that a long run of quick ones leaves time for what else its process does. */
  readonly pause?: Pause
}

export type SourceDigest = (
  node: { readonly id: string; readonly type: string },
  config: Readonly<Record<string, unknown>>,
) => string | Promise<string>

export interface RunResult {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>
  readonly reason: string | null
  /** The nodes that the targets need. */
  readonly nodes: Readonly<Record<string, NodeState>>
  /** By node, where there is a result. */
  readonly made: ReadonlyMap<string, Made>
  /** What to force when this run is resumed. */
  readonly force: readonly string[]
}

/** A result, and what it was made from: the plan after this one reads it. */
export interface Made {
  readonly key: string
  readonly parts: KeyParts
  readonly outputs: Outputs
}
