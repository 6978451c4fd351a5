import type { Text, TrainerControl, TrainerHeartbeat, TrainerSpec, TrainingConfig } from '@medloom/contracts'
import type { z } from 'zod'
import type { AppError } from '../errors.js'
import type { CheckpointList, Manifest } from '../storage/checkpoints.js'
import type { TrainerSource } from './launcher.js'
import type { TerminalEvent } from './terminal-event.js'

export type { TerminalEvent }

/**
 * Exchange of files between the service and the trainer of one run. This interface hides if they share a folder, and its location.
 * testing/training/exchange-contract.ts tests the requirements for every implementation.
 */
export interface RunExchange {
  /**
   * Store everything that a trainer needs, durable before any launcher receives the order, and reserve disk space for its end. If this
   * fails, the space is freed.
   * @returns the source of the trainer, for the launcher's order.
   */
  putSpec(spec: RunSpec): Promise<TrainerSource>
  /** Send a request to the trainer, which checks for requests at every batch. A later request replaces an earlier one. */
  sendRequest(attempt: number, request: ControlRequest): Promise<void>
  /**
   * The complete lines after byte `offset` of the attempt's events, about a mebibyte at most or one longer line; null when there is none
   * yet. A line that refers to an event in a file is replaced by that event.
   */
  events(attempt: number, offset: number): Promise<EventChunk | null>
  /** Returns true if the trainer of this attempt has written anything, even a part of a line. */
  hasEvents(attempt: number): Promise<boolean>
  /** Calls `look` at once, and soon after more events may have arrived. Calls never overlap. */
  watchEvents(attempt: number, look: () => Promise<void>): EventWatch
  /** The latest heartbeat of this attempt; null when there is none, or while it is being written. */
  heartbeat(attempt: number): Promise<TrainerHeartbeat | null>
  /** The complete lines after byte `offset` of this attempt's resource measurements; null when there is none yet. */
  resources(attempt: number, offset: number): Promise<EventChunk | null>
  /**
   * Description and path of a missing file that must exist while an attempt runs; null when nothing is missing. `offset`: bytes of its
   * events that were read.
   */
  missing(attempt: number, offset: number): Promise<Text | null>
  /** The end of this attempt; null when it did not write a result. A result of another attempt never counts. */
  result(attempt: number): Promise<TerminalEvent | null>
  /** Frees the disk space reserved for the end of this attempt. Its trainer is gone, or never started. */
  freeReserve(attempt: number): Promise<void>
  /**
   * The job has ended with this attempt, its trainer is gone, and nothing more of it is accepted. Frees its reserve, and removes partial
   * files that a killed trainer of the job has left.
   */
  end(attempt: number): Promise<void>
  /**
   * Bytes of the log from `offset` on, or from the next byte that is kept, cut between characters: offsets count everything ever written. A
   * log that does not exist yet is empty.
   */
  log(offset: number, limit: number): Promise<LogPiece>
  /** The last `bytes` of the log. */
  logEnd(bytes: number): Promise<string>
  /** Complete checkpoints: best, last, then by epoch. */
  checkpoints(offset: number, size: number): Promise<CheckpointList>
  /** @throws AppError CHECKPOINT_NOT_FOUND, or CHECKPOINT_CORRUPT when its manifest cannot be understood. */
  checkpoint(name: string): Promise<Manifest>
  hasCheckpoint(name: string): Promise<boolean>
  /** Reads all of its files. @throws AppError like `checkpoint`, and CHECKPOINT_CORRUPT when a file is missing or damaged. */
  verifyCheckpoint(name: string): Promise<Manifest>
  /** The fault of the machine when the run directory cannot be written; null: none. */
  fault(): Promise<AppError | null>
  /** Absolute path of the run, or of one of its checkpoints, on the machine of the service. */
  localPath(checkpoint?: string): string
}

/** The exchange of each run. */
export type RunExchanges = (jobId: string) => RunExchange

/** A spec without the fields that depend on the location of the run. */
export type RunSpec = Pick<TrainerSpec, 'job_name' | 'attempt' | 'fine_tuned_from'> & {
  /** Complete; settings that the trainer does not read are only in config.yaml. */
  readonly config: TrainingConfig
  /** The job that this one continues: from the checkpoint below `start` of this run, otherwise from the last one of that job. */
  readonly resumed_from: string | null
  /** A checkpoint of that job other than the last one. */
  readonly resumed_checkpoint?: string | null
}

export type ControlRequest = z.infer<typeof TrainerControl>['request']

/** Complete lines of an attempt's events, and the offset of the next read. */
export interface EventChunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
  /** The file continues after it; absent: it does not. */
  readonly more?: true
}

export interface EventWatch {
  /** No read begins after this. */
  close(): Promise<void>
}

export interface LogPiece {
  readonly offset: number
  readonly next_offset: number
  readonly size: number
  readonly text: string
}
