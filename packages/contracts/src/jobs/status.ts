/** States of a job, and the transitions between them. */
export const JOB_STATUSES = ['started', 'running', 'completed', 'failed', 'stopped'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** All transitions. A terminal status has none: it is final. */
export const JOB_TRANSITIONS = {
  started: ['running', 'stopped', 'failed'],
  running: ['completed', 'failed', 'stopped'],
  completed: [],
  failed: [],
  stopped: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

export function canBecome(from: JobStatus, to: JobStatus): boolean {
  return (JOB_TRANSITIONS[from] as readonly JobStatus[]).includes(to)
}

export const JOB_PHASES = [
  'queued',
  'preparing',
  'training',
  'validating',
  'checkpointing',
  'baselines',
] as const
export type JobPhase = (typeof JOB_PHASES)[number]
