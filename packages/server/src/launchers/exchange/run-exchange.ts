import type { TrainerControl, TrainerHeartbeat, TrainerSpec, TrainingConfig } from '@medloom/contracts'
import type { z } from 'zod'
import type { AppError } from '../../errors.js'
import type { CheckpointList, Manifest } from '../../storage/checkpoints.js'
import type { TrainerSource } from '../launcher.js'
import type { TerminalEvent } from './terminal-event.js'

export type { TerminalEvent }

/**
 * How the service and the trainer of one run exchange files. Whether they share a folder, and where it is, stays behind this
 * interface. testing/training/exchange-contract.ts tests what every implementation must do.
 */
export interface RunExchange {
  /**
   * Everything that a trainer needs, durable before any launcher receives the order, and room on the disk for its end. When that fails nothing
   * of the room is kept.
   * @returns what the trainer begins with, for the launcher's order.
   */
  putSpec(spec: RunSpec): Promise<TrainerSource>
  /** Ask the trainer for something; it looks at every batch. A later request replaces an earlier one. */
  ask(attempt: number, request: ControlRequest): Promise<void>
  /**
   * The whole lines that follow byte `offset` of the attempt's events, about a mebibyte at most or one that is longer; null when there is
   * none yet. An event that its line only names is given in place of that line.
   */
  events(attempt: number, offset: number): Promise<EventChunk | null>
  /** Whether the trainer of this attempt has written anything, be it a piece of a line. */
  hasEvents(attempt: number): Promise<boolean>
  /** Calls `look` at once, and soon after there may be more events. Never twice at a time. */
  watchEvents(attempt: number, look: () => Promise<void>): EventWatch
  /** The latest heartbeat of this attempt; null when there is none, or while it is being written. */
  heartbeat(attempt: number): Promise<TrainerHeartbeat | null>
  /** The whole lines that follow byte `offset` of what this attempt has measured of its machine; null when there is none yet. */
  resources(attempt: number, offset: number): Promise<EventChunk | null>
  /**
   * What is gone of the files that exist while an attempt runs, in words with its place; null when nothing is. `offset`: so much of its
   * events was read.
   */
  missing(attempt: number, offset: number): Promise<string | null>
  /** How this attempt ended; null when it did not write a result. What another attempt wrote is never its result. */
  result(attempt: number): Promise<TerminalEvent | null>
  /** Frees what is kept of the disk for the end of this attempt. Its trainer is gone, or never began. */
  freeReserve(attempt: number): Promise<void>
  /**
   * The job has ended with this attempt, its trainer is gone, and nothing more of it is taken. Frees what was kept for it, and removes what
   * a trainer of the job that was killed has left half-written.
   */
  end(attempt: number): Promise<void>
  /**
   * Bytes of the log from `offset`, cut between characters, or from the next byte that is kept: offsets count what was ever written. A log
   * that is not there yet is empty.
   */
  log(offset: number, limit: number): Promise<LogPiece>
  /** The last `bytes` of the log. */
  logEnd(bytes: number): Promise<string>
  /** Complete checkpoints: best, last, then by epoch. */
  checkpoints(offset: number, size: number): Promise<CheckpointList>
  /** @throws AppError CHECKPOINT_NOT_FOUND, or CHECKPOINT_CORRUPT when its manifest cannot be understood. */
  checkpoint(name: string): Promise<Manifest>
  hasCheckpoint(name: string): Promise<boolean>
  /** Reads all of it. @throws AppError as `checkpoint` does, CHECKPOINT_CORRUPT also when a file of it is missing or damaged. */
  verifyCheckpoint(name: string): Promise<Manifest>
  /** The fault of the machine when nothing can be written for the run; null: none. */
  fault(): Promise<AppError | null>
  /** The run, or a checkpoint of it, as an absolute path on the machine of the service. */
  localPath(checkpoint?: string): string
}

/** The exchange of each run. */
export type RunExchanges = (jobId: string) => RunExchange

/** A spec without what follows from where the run lies. */
export type RunSpec = Pick<TrainerSpec, 'job_name' | 'attempt' | 'fine_tuned_from'> & {
  /** Complete; what the trainer does not read stays in config.yaml. */
  readonly config: TrainingConfig
  /** The job that this one continues: from the checkpoint that lies below `start` of this run, else from the last one of that job. */
  readonly resumed_from: string | null
  /** Another checkpoint of that job than the last one. */
  readonly resumed_checkpoint?: string | null
}

export type ControlRequest = z.infer<typeof TrainerControl>['request']

/** Whole lines of an attempt's events, and where the next read begins. */
export interface EventChunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
  /** The file went on after it; absent: it did not. */
  readonly more?: true
}

export interface EventWatch {
  /** No look begins after this. */
  close(): Promise<void>
}

export interface LogPiece {
  readonly offset: number
  readonly next_offset: number
  readonly size: number
  readonly text: string
}
