import { canBecome, type Job, type JobStatus } from '@medloom/contracts'
import type { TrainerHandle } from '../launchers/launcher.js'

/** What is stored of a job. What the status endpoint adds (queue position, device, resumable, paths) follows from it. */
export interface JobRecord extends Omit<Job, 'queue_position' | 'device' | 'resumable' | 'run_dir'> {
  /** Order of acceptance. */
  number: number
  request: 'stop' | 'finish' | null
  /** The trainer of this attempt, from before it begins until nothing of it is left. */
  handle: TrainerHandle | null
  /** What the job was granted: accelerators, or the CPU. Null before that, and for jobs of versions that did not store it. */
  places: readonly string[] | null
  events_offset: number
  /** Which training of its study. */
  study_position: number | null
  last_seq: number
}

/** The one gate that a status passes through. @throws Error for a transition that the table does not have. */
export function becoming(from: JobStatus, to: JobStatus): { status: JobStatus } {
  if (!canBecome(from, to)) throw new Error(`a job cannot go from ${from} to ${to}`)
  return { status: to }
}

/** Whether its trainer has not begun: of a new job, or of one that was interrupted and goes on. */
export function waits({ status, phase }: Pick<JobRecord, 'status' | 'phase'>): boolean {
  return status === 'started' || (status === 'running' && phase === 'queued')
}

/** What changes when the trainer of a job that waited begins. */
export function begun(job: Pick<JobRecord, 'status' | 'started_at'>) {
  return {
    ...(job.status === 'running' ? {} : becoming(job.status, 'running')),
    phase: 'preparing' as const,
    reason: null,
    started_at: job.started_at ?? new Date().toISOString(),
  }
}
