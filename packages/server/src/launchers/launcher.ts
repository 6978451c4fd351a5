/**
 * Where and how trainer processes run. Everything else knows a trainer by its handle and its state; pids, hosts and the queues of a
 * cluster stay behind this interface. testing/training/launcher-contract.ts tests what every implementation must do.
 */
export interface Launcher {
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
  /** Get ready for the first order. */
  start(): void
  /** Nothing is submitted any more; trainers that have begun continue. */
  close(): void
}

export interface Capacity {
  /** "cuda:0", "cuda:1", "mps"; empty: the CPU alone. */
  readonly accelerators: readonly string[]
  /** That many jobs and evaluations at a time, wherever they run; null: one for each accelerator, or one on the CPU. */
  readonly maxJobs: number | null
}

export interface TrainerOrder {
  readonly job_id: string
  readonly attempt: number
  /** Where the trainer finds its spec, as the exchange of the run names it. */
  readonly spec: string
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
  /** Ask it to end by itself, with time for a checkpoint. Rejects when the request could not be delivered. */
  stop(): Promise<void>
  /** End it and everything it started, also what is left when it is gone. Rejects when the request could not be delivered. */
  kill(): Promise<void>
  /** Stop observing it; the trainer continues. `begun` and `gone` then stay pending. */
  release(): void
}
