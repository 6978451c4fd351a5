import {
  type Job,
  type JobStatus,
  type Metrics,
  type SearchSettings,
  type Study,
  type StudyConfig,
  type StudyJob,
  type StudyStatus,
  type StudyTraining,
  type StudyTrainingStatus,
  studyCanBecome,
} from '@medloom/contracts'

/** Keys of the tables that a configuration names. */
export const TABLE_KEYS = ['train_csv', 'val_csv', 'test_csv'] as const
export type TableKey = (typeof TABLE_KEYS)[number]

/** Stored part of a study; the other fields of its status are derived from its trainings. */
export interface StudyRecord
  extends Pick<
    Study,
    | 'study_id'
    | 'name'
    | 'phase'
    | 'message'
    | 'message_phrases'
    | 'error'
    | 'metric'
    | 'reference'
    | 'owner'
    | 'created_at'
    | 'ended_at'
  > {
  /** Order of acceptance. */
  readonly number: number
  readonly status: StudyStatus
  /** Paths are absolute. */
  readonly config: StudyConfig
  readonly digests: Readonly<Partial<Record<TableKey, string>>>
  readonly results: Pick<Study, 'variants' | 'comparisons'> | null
  /** Path relative to the folder of the study. */
  readonly report: string | null
  readonly request: 'stop' | null
}

/** A training of a study with the state of its newest job. */
export interface TrainingRecord extends StudyTraining {
  readonly position: number
  readonly job_id: string | null
  /** True if a job has to be started for it. */
  readonly due: boolean
  /** Metrics of its newest job, for a trial in validation; null until the job has ended and its files were read. */
  readonly metrics: Metrics | null
  /** Settings of a trial, once they are suggested. */
  readonly settings: SearchSettings | null
  /** Validation metric by which the search chooses; only for a complete trial. */
  readonly value: number | null
  /** Epoch after which the trial was pruned because of its validation. */
  readonly pruned_at: number | null
  readonly status: StudyTrainingStatus
  readonly error: StudyJob['error']
  /** Completed share of its epochs. */
  readonly done: number
}

/** A job of a training. */
export interface TrainingAttempt {
  readonly job_id: string
  readonly position: number
  readonly status: JobStatus
  readonly attempt: Job['attempt']
}

/** The only place where the status of a study changes. @throws Error for a transition that the table does not contain. */
export function studyTransition(from: StudyStatus, to: StudyStatus): { status: StudyStatus } {
  if (!studyCanBecome(from, to)) throw new Error(`a study cannot change from ${from} to ${to}`)
  return { status: to }
}

/** Returns true if a training is completed and counts: its job read the tables with which the study was started. */
export function isComplete({ status, due }: Pick<TrainingRecord, 'status' | 'due'>): boolean {
  return status === 'completed' && !due
}

/** Returns true if a training has a job that has not ended. */
export function isActive({ status }: Pick<TrainingRecord, 'status'>): boolean {
  return status === 'started' || status === 'running'
}
