import type { NodeState, RunStatus, Text, WorkflowIssue } from '@medloom/contracts'
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
  /** Issues in addition to those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly executors: Executors
  readonly cache: ResultCache
  readonly clock: Clock
  /** Shared by all runs. */
  readonly resources: ResourceSemaphore
  /** Shared by all runs. */
  readonly singleFlight: SingleFlight
  /** Digest of the external data that a node reads. If it throws, the error is that of the node. */
  readonly sourceDigest?: SourceDigest
  /** Versions of the software that nodes use. If it throws, the error is that of every node whose definition names software. */
  readonly software?: () => Promise<Versions>
  /** Implicit inputs of nodes. If it throws, the error is that of the node. */
  readonly implicitInput?: SupplyImplicit
  /**
   * The work that copies the files of a result, computed or cached, to their destinations, and returns the paths. undefined if there is
   * nothing to do. If the work throws, the error is that of the node.
   */
  readonly place?: (outputs: Outputs) => (() => Promise<PlacedPaths>) | undefined
  readonly cancellation?: Cancellation
  /** Milliseconds in which running nodes must end after a cancellation; absent: 5000. */
  readonly cancelGrace?: number
  /** Must not throw; an exception is rethrown when the run has ended. */
  readonly onEvent?: (event: RunEvent) => void
  readonly hash?: Hash
  /** Called between nodes, so that a long run of fast nodes leaves time for other work of its process. */
  readonly pause?: Pause
}

export type SourceDigest = (
  node: { readonly id: string; readonly type: string },
  config: Readonly<Record<string, unknown>>,
) => string | Promise<string>

export interface RunResult {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>
  readonly reason: Text | null
  /** Nodes that the targets need. */
  readonly nodes: Readonly<Record<string, NodeState>>
  /** Available results by node. */
  readonly made: ReadonlyMap<string, Made>
  /** Nodes to force when this run is resumed. */
  readonly force: readonly string[]
}

/** A result with the parts of its key, which the next plan reads. */
export interface Made {
  readonly key: string
  readonly parts: KeyParts
  readonly outputs: Outputs
}
