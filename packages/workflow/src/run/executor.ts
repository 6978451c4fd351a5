import type { Phrase, WarningCode } from '@medloom/contracts'
import type { Arrived } from '../plan/input-digests.js'
import type { Outputs } from '../values.js'
import type { Cancellation } from './cancellation.js'

export type { Arrived }

/** One execution of a node, as its executor sees it. */
export interface Task<Config = Readonly<Record<string, unknown>>> {
  readonly node: string
  readonly type: string
  /** The complete config. */
  readonly config: Config
  /** Input port → arriving values: one value, or the parts that the port joins. Unconnected ports are absent. */
  readonly inputs: Readonly<Record<string, readonly Arrived[]>>
  /** The cache key: everything that determines the result, as one digest. */
  readonly key: string
  /** Implicit inputs in the definition, with the values used in the key. */
  readonly implicit: Readonly<Record<string, unknown>>
  readonly cancellation: Cancellation
  /** 0 to 1, with an English message and its phrases; may be called at any rate. */
  progress(fraction: number, message?: string, phrases?: readonly Phrase[]): void
  log(message: string): void
  /** A warning with its English message and its phrases; stored on the node, and repeated whenever its result comes from the cache. */
  warn(code: WarningCode, message: string, phrases?: readonly Phrase[]): void
  /** The training job that does the work. */
  job(jobId: string): void
}

/** Computes a node. Returns a value for every output port, or throws. It must end soon after a cancellation. */
export type Executor<Config = Readonly<Record<string, unknown>>> = (
  task: Task<Config>,
) => Promise<Outputs> | Outputs

/** Executors by node type. */
export type Executors = Readonly<Record<string, Executor>>
