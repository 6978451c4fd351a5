import { canBecome, type Job, type JobStatus } from '@medloom/contracts'
import type { TrainerHandle } from '../ports/launcher.js'

/** Stored part of a job. The other fields of its status (queue position, device, resumable, paths) are derived from it. */
export interface JobRecord extends Omit<Job, 'queue_position' | 'device' | 'resumable' | 'run_dir'> {
  /** Order of acceptance. */
  number: number
  request: 'stop' | 'finish' | null
  /** The trainer of this attempt, stored before it starts and until it is completely gone. */
  handle: TrainerHandle | null
  /** Slots of the job: accelerators, or the CPU. Null before they are granted, and for jobs of versions that did not store them. */
  places: readonly string[] | null
  events_offset: number
  /** Position of the training in its study. */
  study_position: number | null
  last_seq: number
}

/** The only place where a status changes. @throws Error for a transition that the table does not contain. */
export function transition(from: JobStatus, to: JobStatus): { status: JobStatus } {
  if (!canBecome(from, to)) throw new Error(`a job cannot change from ${from} to ${to}`)
  return { status: to }
}

/** Returns true if its trainer has not started: for a new job, or for one that was interrupted and continues. */
export function isWaiting({ status, phase }: Pick<JobRecord, 'status' | 'phase'>): boolean {
  return status === 'started' || (status === 'running' && phase === 'queued')
}

/** Changes of a waiting job when its trainer starts. */
export function started(job: Pick<JobRecord, 'status' | 'started_at'>) {
  return {
    ...(job.status === 'running' ? {} : transition(job.status, 'running')),
    phase: 'preparing' as const,
    reason: null,
    reason_phrases: undefined,
    started_at: job.started_at ?? new Date().toISOString(),
  }
}
