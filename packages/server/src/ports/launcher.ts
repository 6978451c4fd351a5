import type { Text } from '@medloom/contracts'
import type { Cluster, TrainerResources } from './resources.js'
import type { TerminalEvent } from './terminal-event.js'

/**
 * Runs trainer processes. All other code knows a trainer by its handle and its state; this interface hides process ids, hosts and the
 * queues of a cluster. testing/training/launcher-contract.ts tests the requirements for every implementation.
 */
export interface Launcher {
  /** Its trainers run on a cluster, and use no slots on the machine of the service. */
  readonly isCluster?: boolean
  /** The current devices and slots. Rejects if they are not known at the moment: nothing is started then, and the caller tries again. */
  capacity(): Promise<Capacity>
  /**
   * Start the trainer of one attempt. `record` receives the handle before the trainer starts, and makes it durable, so that a crash of the
   * service never leaves an unknown trainer. A second call for the same job and attempt returns the same trainer. After `record` has
   * returned true, this does not reject: the state of the trainer shows the outcome.
   * @returns null when `record` returned false: the trainer never starts.
   * @throws the error of `record`, or an AppError when no trainer can be started; then no trainer starts.
   */
  submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null>
  /** A trainer that was submitted, possibly by an earlier service. A trainer of another launcher is unknown. */
  attach(handle: TrainerHandle): RunningTrainer
  /**
   * Called once, with all handles that earlier services submitted. Absent: this process can see and end these trainers. @throws StartError
   * when it cannot.
   */
  refuseForeign?(handles: readonly TrainerHandle[]): Promise<void>
  /** Prepare for the first order. */
  start(): void
  /** Nothing is submitted any more; started trainers continue. */
  close(): void
}

export interface Capacity {
  /** "cuda:0", "cuda:1", "mps"; empty: only the CPU. */
  readonly accelerators: readonly string[]
  /**
   * Maximum number of parallel jobs and evaluations, on any device; null: one per accelerator, or one on the CPU; on a cluster, as many as
   * fit.
   */
  readonly maxJobs: number | null
  /** For the launcher of a cluster, whose jobs use amounts of it; it names no accelerators. maxJobs is then an additional limit. */
  readonly cluster?: Cluster
}

export interface TrainerOrder extends TrainerSource {
  readonly job_id: string
  readonly attempt: number
  readonly resources: TrainerResources
}

/** Source from which a trainer gets its order, provided by the exchange of a run. launchers/trainer-command.ts passes it to the process. */
export interface TrainerSource {
  /** The absolute path of its spec on its machine, or the address from which it is fetched. */
  readonly spec: string
  /**
   * Without a shared folder: the token with which the companion process of the trainer proves that it serves this attempt. Never part of a
   * handle.
   */
  readonly token?: string
}

/**
 * Identifies a trainer uniquely, even after a restart of the service or the machine. Plain JSON; only its launcher interprets the content.
 */
export interface TrainerHandle {
  readonly launcher: string
  readonly [key: string]: unknown
}

/** "pending" when the trainer waits in the launcher, "running" when it starts at once. */
export type RecordHandle = (handle: TrainerHandle, state: 'pending' | 'running') => Promise<boolean>

/**
 * pending: it has not started. suspended: it has started, and a signal or a debugger has stopped it. unknown: the launcher does not know at
 * the moment, which is not an end: it must not be started again. gone: it has ended and writes nothing any more.
 */
export type TrainerState = 'pending' | 'running' | 'suspended' | 'gone' | 'unknown'

export interface RunningTrainer {
  readonly handle: TrainerHandle
  /** The state now. Never rejects. */
  state(): Promise<TrainerState>
  /** Resolves once the trainer is known to have started, or to be gone. Never rejects. */
  readonly begun: Promise<void>
  /** Resolves once the trainer is known to be gone, with the cause of its end if known. Never rejects. */
  readonly gone: Promise<Text>
  /** Reason why the trainer waits in its launcher, if the launcher reports one. */
  waitsFor?(): Text | null
  /**
   * Reason why its launcher interrupted it, such as a time limit or the loss of its node: the next attempt continues from its last
   * checkpoint. Null if it ended by itself or was canceled by a person. Called once it is gone, with the end that it reported, if any. A
   * launcher without this function interrupts nothing.
   */
  interruption?(reported: TerminalEvent | null): Text | null
  /** For a trainer that is gone: description of a cancellation in its launcher by anyone other than this service. */
  cancellation?(): Text | null
  /**
   * For a trainer that is gone: true if it never started, because its launcher had no room for it in time. It is then always started again.
   */
  hadNoRoom?(): boolean
  /** Request it to end by itself, with time for a checkpoint. Rejects when the request could not be delivered. */
  stop(): Promise<void>
  /**
   * End it and everything that it started, including processes that remain after its end. Rejects when the request could not be delivered.
   */
  kill(): Promise<void>
  /** Stop observing it; the trainer continues. `begun` and `gone` then stay pending. */
  release(): void
}
