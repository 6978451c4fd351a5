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

/** The tables that a configuration names, by their keys. */
export const TABLE_KEYS = ['train_csv', 'val_csv', 'test_csv'] as const
export type TableKey = (typeof TABLE_KEYS)[number]

/** What is stored of a study; what the status adds follows from its trainings. */
export interface StudyRecord
  extends Pick<
    Study,
    | 'study_id'
    | 'name'
    | 'phase'
    | 'message'
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
  /** Relative to the folder of the study. */
  readonly report: string | null
  readonly request: 'stop' | null
}

/** A training of a study with the state of its newest job. */
export interface TrainingRecord extends StudyTraining {
  readonly position: number
  readonly job_id: string | null
  /** A job is to be started for it. */
  readonly due: boolean
  /** What its newest job measured, of a trial in validation; null until it has ended and its files were read. */
  readonly metrics: Metrics | null
  /** Of a trial, once it was asked for. */
  readonly settings: SearchSettings | null
  /** Of a complete trial: the validation metric that the search chooses by. */
  readonly value: number | null
  /** The epoch with which validation ended the trial early. */
  readonly pruned_at: number | null
  readonly status: StudyTrainingStatus
  readonly error: StudyJob['error']
  /** Share of its epochs that are done. */
  readonly done: number
}

/** A job of a training. */
export interface TrainingAttempt {
  readonly job_id: string
  readonly position: number
  readonly status: JobStatus
  readonly attempt: Job['attempt']
}

/** The one gate that the status of a study passes through. @throws Error for a transition that the table does not have. */
export function studyBecoming(from: StudyStatus, to: StudyStatus): { status: StudyStatus } {
  if (!studyCanBecome(from, to)) throw new Error(`a study cannot go from ${from} to ${to}`)
  return { status: to }
}

/** Whether a training has completed and counts: its job read the tables that the study was started with. */
export function isComplete({ status, due }: Pick<TrainingRecord, 'status' | 'due'>): boolean {
  return status === 'completed' && !due
}

/** Whether a training has a job that has not ended. */
export function isActive({ status }: Pick<TrainingRecord, 'status'>): boolean {
  return status === 'started' || status === 'running'
}
