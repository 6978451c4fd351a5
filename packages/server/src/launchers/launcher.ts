import type { TerminalEvent } from './exchange/terminal-event.js'
import type { Cluster, TrainerResources } from './resources.js'

/**
 * Where and how trainer processes run. Everything else knows a trainer by its handle and its state; pids, hosts and the queues of a
 * cluster stay behind this interface. testing/training/launcher-contract.ts tests what every implementation must do.
 */
export interface Launcher {
  /** Its trainers run on a cluster, and take no place on the machine of the service. */
  readonly isCluster?: boolean
  /** What there is to train on now. Rejects when that is not known at the moment: nothing is started then, and the caller asks again. */
  capacity(): Promise<Capacity>
  /**
   * Start the trainer of one attempt. `record` is given the handle before the trainer begins, and makes it durable, so that a
   * crash of the service never leaves a trainer that it does not know. A second call for the same job and attempt returns the same
   * trainer. Once `record` has returned true this does not reject: the state of the trainer shows what became of it.
   * @returns null when `record` returned false: the trainer never begins.
   * @throws what `record` throws, or an AppError when no trainer can be started; no trainer begins then.
   */
  submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null>
  /** A trainer that was submitted, perhaps by an earlier service. One of another launcher is unknown. */
  attach(handle: TrainerHandle): RunningTrainer
  /** Asked once, about all that earlier services have submitted. Absent: this process can see and end them. @throws StartError when it cannot. */
  refuseForeign?(handles: readonly TrainerHandle[]): Promise<void>
  /** Get ready for the first order. */
  start(): void
  /** Nothing is submitted any more; trainers that have begun continue. */
  close(): void
}

export interface Capacity {
  /** "cuda:0", "cuda:1", "mps"; empty: the CPU alone. */
  readonly accelerators: readonly string[]
  /** That many jobs and evaluations at a time, wherever they run; null: one for each accelerator, or one on the CPU; on a cluster as many as fit. */
  readonly maxJobs: number | null
  /** Of a launcher of a cluster, whose jobs take amounts of it; it names no accelerators. With maxJobs: at most that many as well. */
  readonly cluster?: Cluster
}

export interface TrainerOrder extends TrainerSource {
  readonly job_id: string
  readonly attempt: number
  readonly resources: TrainerResources
}

/** What the exchange of a run gives a trainer to begin with. launchers/trainer-command.ts says how a process is told. */
export interface TrainerSource {
  /** The absolute path of its spec where it runs, or the address that it is fetched from. */
  readonly spec: string
  /** Where there is no common folder: what the process beside the trainer proves with that it serves this attempt. Never in a handle. */
  readonly token?: string
}

/** Names a trainer beyond doubt, also after the service or the machine was started again. Plain JSON; only its launcher looks inside. */
export interface TrainerHandle {
  readonly launcher: string
  readonly [key: string]: unknown
}

/** "pending" when the launcher keeps the trainer waiting, "running" when it begins at once. */
export type RecordHandle = (handle: TrainerHandle, state: 'pending' | 'running') => Promise<boolean>

/**
 * pending: it has not begun. suspended: it has, and a signal or a debugger holds it. unknown: the launcher does not know at the moment, which is not an end: it must not be started again.
 * gone: it has ended and writes nothing any more.
 */
export type TrainerState = 'pending' | 'running' | 'suspended' | 'gone' | 'unknown'

export interface RunningTrainer {
  readonly handle: TrainerHandle
  /** The state now. Never rejects. */
  state(): Promise<TrainerState>
  /** Resolves once the trainer is known to have begun, or to be gone. Never rejects. */
  readonly begun: Promise<void>
  /** Resolves once the trainer is known to be gone, with how it ended where that is known. Never rejects. */
  readonly gone: Promise<string>
  /** Why its launcher keeps it waiting, in words, as far as it says so. */
  waitsFor?(): string | null
  /**
   * Why it was interrupted by its launcher, such as at a time limit or with its node: the next attempt goes on from its last checkpoint. Null
   * where it ended by itself or was cancelled by somebody. Asked once it is gone, with the end that it reported, if any. A launcher without
   * this interrupts nothing.
   */
  interruption?(reported: TerminalEvent | null): string | null
  /** Of one that is gone: that somebody other than this service cancelled it in its launcher, in words. */
  cancellation?(): string | null
  /** Of one that is gone: whether it never began, because its launcher had no room for it in time. It is started again, however often. */
  hadNoRoom?(): boolean
  /** Ask it to end by itself, with time for a checkpoint. Rejects when the request could not be delivered. */
  stop(): Promise<void>
  /** End it and everything it started, also what is left when it is gone. Rejects when the request could not be delivered. */
  kill(): Promise<void>
  /** Stop observing it; the trainer continues. `begun` and `gone` then stay pending. */
  release(): void
}
