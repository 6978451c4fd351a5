import type { Generated, GeneratedAlways } from 'kysely'

/** The tables. Times are ISO 8601 text in UTC; documents are JSON text. */
export interface Tables {
  jobs: JobRow
  job_best_metrics: JobBestMetricRow
  job_events: JobEventRow
  metric_curves: MetricCurveRow
  metric_levels: LevelRow
  resource_curves: ResourceCurveRow
  resource_levels: LevelRow
  studies: StudyRow
  study_trainings: StudyTrainingRow
  models: ModelRow
  alias_moves: AliasMoveRow
  evaluations: EvaluationRow
  tasks: TaskRow
  datasets: DatasetRow
  idempotency: IdempotencyRow
  workflows: WorkflowRow
  workflow_documents: WorkflowDocumentRow
  workflow_revisions: WorkflowRevisionRow
  workflow_drafts: WorkflowDraftRow
  workflow_executions: WorkflowExecutionRow
  workflow_runs: WorkflowRunRow
  workflow_run_nodes: WorkflowRunNodeRow
  workflow_made: WorkflowMadeRow
  workflow_jobs: WorkflowJobRow
  cached_results: CachedResultRow
  cached_blobs: CachedBlobRow
  file_digests: FileDigestRow
  written_files: WrittenFileRow
  counters: CounterRow
  pending_removals: PendingRemovalRow
  users: UserRow
  tokens: TokenRow
  sessions: SessionRow
  ended_logins: EndedLoginRow
  audit: AuditRow
  controllers: ControllerRow
  known_roots: KnownRootRow
  prediction_traces: PredictionTraceRow
  prediction_files: PredictionFileRow
  follow_ups: FollowUpRow
}

export interface JobRow {
  job_id: string
  /** Order of acceptance; the queue is first in, first out. */
  number: Generated<number>
  job_name: string
  status: string
  phase: string | null
  reason: string | null
  /** Phrases of the reason; null: it has none. */
  reason_phrases: string | null
  error: string | null
  config: string
  prepared: string | null
  metrics: string
  notes: string
  best: string | null
  /** Result of the comparison with the best baseline. */
  baseline_verdict: string | null
  epoch: number
  total_epochs: number
  eta_seconds: number | null
  attempt: number
  /** stop or finish, durable before the trainer receives it. */
  request: string | null
  /** Identifies the trainer of this attempt for its launcher; stored before the trainer starts. */
  handle: string | null
  /** Slots that the job occupies: accelerators, or the CPU; stored before its trainer starts. */
  places: string | null
  /** Time since which, and phase in which, training has stalled; null while it advances. */
  stalled: string | null
  /** Number of bytes of events.<attempt>.jsonl that are processed; updated in the same transaction as the data that they changed. */
  events_offset: number
  last_seq: number
  resumed_from: string | null
  /** Checkpoint of the resumed job; null: the last one. */
  resumed_checkpoint: string | null
  /** The trained model that the job started from. */
  fine_tuned_from: string | null
  /** Part of the record of an ensemble, which has no training: the models that it combines. */
  ensemble: string | null
  /** Study to which the job belongs, and the position of its training. */
  study_id: string | null
  study_position: number | null
  model_id: string | null
  report_path: string | null
  owner: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  /** JSON array. */
  tags: Generated<string>
  note: Generated<string>
  /** 0 or 1. */
  pinned: Generated<number>
  archived: Generated<number>
  duration_seconds: GeneratedAlways<number | null>
  /** JSON: the part of the configuration that a list shows. */
  headline: GeneratedAlways<string>
  /** Text that the search box searches. */
  searched: GeneratedAlways<string>
}

/** A metric of the best epoch of a job. */
export interface JobBestMetricRow {
  number: number
  metric: string
  value: number
}

export interface JobEventRow {
  job_id: string
  seq: number
  type: string
  /** The message as sent over the socket. */
  message: string
}

/** Position up to which the progress messages of a job are aggregated into its levels. */
export interface MetricCurveRow {
  job_id: string
  folded_seq: number
  /** Progress before this seq is deleted, except the newest. */
  kept_seq: number
  points: number
  /** JSON: the bucket of each level that is being filled. */
  open: string
  /** 1: the progress comes from an older version and is not yet aggregated. */
  behind: number
}

/** Position up to which the resource usage file of an attempt is aggregated. */
export interface ResourceCurveRow {
  job_id: string
  attempt: number
  read_bytes: number
  points: number
  /** JSON: the bucket of each level that is being filled. */
  open: string
  /** Reasons why values were null in the last measurement. */
  reasons: string
}

/** A complete bucket of a level. */
export interface LevelRow {
  job_id: string
  level: number
  bucket: number
  content: string
}

export interface StudyRow {
  study_id: string
  number: Generated<number>
  name: string
  status: string
  phase: string | null
  message: string
  /** Phrases of the message; null: it has none. */
  message_phrases: string | null
  error: string | null
  config: string
  /** Key of the configuration that names a table → digest of the table when the study was accepted. */
  digests: string
  metric: string
  reference: string
  /** Part of the results that the status shows. */
  results: string | null
  /** Path relative to the folder of the study. */
  report: string | null
  /** stop, durable before any training receives it. */
  request: string | null
  /** Also the owner of its jobs. */
  owner: string | null
  created_at: string
  ended_at: string | null
}

/** A training of a study; its state is that of its job. */
export interface StudyTrainingRow {
  study_id: string
  /** Position in the study, from 0. */
  position: number
  variant: string
  seed: number
  /** JSON: data.fold of the training. */
  fold: string | null
  /** The newest job of the training. */
  job_id: string | null
  /** 1: a job has to be started. */
  due: number
  /** Metrics of the newest job on the held-out cases or in validation; for a trial, in validation. */
  metrics: string | null
  /** Number of a trial of a search. */
  trial: number | null
  /** JSON: the settings of the trial, once they are computed. */
  settings: string | null
  /** Validation metric by which the search chooses; only for a complete trial. */
  value: number | null
  /** Epoch after which the trial was pruned because of its validation. */
  pruned_at: number | null
  /** Reason why the settings of a trial are not a valid configuration; it is not trained. */
  refused: string | null
  refused_phrases: string | null
}

export interface ModelRow {
  model_id: string
  number: Generated<number>
  job_id: string
  record: string
  created_at: string
  /** Derived from the record. */
  architecture: GeneratedAlways<string>
  fusion_type: GeneratedAlways<string>
  /** Number of evaluations on splits that were neither used for training nor for selection. */
  evaluations: Generated<number>
}

export interface EvaluationRow {
  evaluation_id: string
  /** Order of storage. */
  number: number
  model_id: string
  split: string
  /** Digest of the evaluated table and images. */
  data_digest: string
  record: string
  created_at: string
  /** Derived from the record: the comparison that the evaluation belongs to. */
  comparison_id: GeneratedAlways<string | null>
  /** Derived from the record: digest of the evaluated weights; null if an earlier version stored it. */
  checkpoint_digest: GeneratedAlways<string | null>
}

/** Work that continues after its caller disconnects. */
/** An entry in the history of an alias; the one with the highest number is current. */
export interface AliasMoveRow {
  alias: string
  number: number
  /** Null: the alias was removed, or its model was. */
  model_id: string | null
  weights_digest: string | null
  evaluation_id: string | null
  note: string | null
  set_by: string | null
  set_at: string
}

export interface TaskRow {
  task_id: string
  number: Generated<number>
  route: string
  request: string
  state: string
  /** Stored at the end of the task; until then only the service has it. */
  progress: number
  result: string | null
  error: string | null
  owner: string | null
  created_at: string
  ended_at: string | null
}

export interface DatasetRow {
  dataset_id: string
  number: Generated<number>
  path: string
  record: string
  /** The record without its columns, for lists. */
  summary: Generated<string>
  owner: string | null
  created_at: string
}

export interface IdempotencyRow {
  route: string
  key: string
  body_digest: string
  answer: string
  created_at: string
}

export interface WorkflowRevisionRow {
  workflow_id: string
  revision: number
  num_nodes: number
  document_digest: string
  created_at: string
}

/** Unsaved changes of an editor. */
export interface WorkflowDraftRow {
  workflow_id: string
  base_revision: number
  document_digest: string
  updated_at: string
}

export interface WorkflowRow {
  workflow_id: string
  number: Generated<number>
  revision: number
  name: string
  description: string
  tags: string
  num_nodes: number
  document_digest: string
  owner: string | null
  created_at: string
  updated_at: string
  /** Set when the workflow is deleted for every user; its data is still being removed. */
  deleted_at: string | null
}

/** A document shared by workflows and runs, stored once; removed with the last of them. */
export interface WorkflowDocumentRow {
  /** SHA-256 of the text. */
  digest: string
  /** The saved format without its history: an entry that a run adds to the history does not change the workflow. */
  document: string
}

/** An entry of the execution history of a workflow. */
export interface WorkflowExecutionRow {
  number: Generated<number>
  workflow_id: string
  execution: string
}

export interface WorkflowRunRow {
  run_id: string
  number: Generated<number>
  workflow_id: string
  revision: number
  status: string
  reason: string | null
  /** Phrases of the reason; null: it has none. */
  reason_phrases: string | null
  progress: number
  /** Digest of the workflow as it runs, even if another version is saved meanwhile. */
  document_digest: string
  targets: string | null
  force: string
  from_run: string | null
  /** Number of times that a service has started or continued the run. */
  attempt: number
  /** cancel, durable before anything is canceled. */
  request: string | null
  /** Also the owner of its jobs. */
  owner: string | null
  created_at: string
  ended_at: string | null
  /** Number of nodes by status: those in workflow_run_nodes, and the pending ones. */
  counts: Generated<string>
}

export interface WorkflowRunNodeRow {
  run_id: string
  node: string
  status: string
  state: string
}

/** The inputs of the latest result of a node, and its cache key. */
export interface WorkflowMadeRow {
  workflow_id: string
  node: string
  key: string
  parts: string
  /** Duration of the computation; null if the result came from the cache. */
  seconds: number | null
}

/** The training job that computes a node, by everything that determines its result. */
export interface WorkflowJobRow {
  workflow_id: string
  node: string
  key: string
  run_id: string
  job_id: string
}

export interface CachedResultRow {
  key: string
  workflow_id: string
  node: string
  type: string
  outputs: string
  created_at: number
}

/** The files of the artifact store that a result refers to. */
export interface CachedBlobRow {
  key: string
  sha256: string
  suffix: string
  size_bytes: number
}

/** Content digests of external files, valid as long as size, times and inode number of the file are unchanged. */
export interface FileDigestRow {
  path: string
  seen: string
  sha256: string
}

/** Files that nodes have written to the output folder, with the digests of their contents. */
export interface WrittenFileRow {
  path: string
  sha256: string
  owner: string | null
}

/** The last number of each named counter; every number is assigned once. */
export interface CounterRow {
  name: string
  value: number
}

/** A folder that is to be deleted, relative to the data folder. */
export interface PendingRemovalRow {
  path: string
}

/** A user of the service. */
export interface UserRow {
  user_name: string
  /** Maximum number of running and of waiting jobs at a time; null: no limit. */
  max_running_jobs: number | null
  max_queued_jobs: number | null
  created_at: string
}

/** A token of a user. Rows are never removed, so that every token in the audit log remains known. */
export interface TokenRow {
  number: Generated<number>
  token_id: string
  /** SHA-256 of the token; the token itself is not stored. */
  digest: string
  name: string
  user_name: string
  role: string
  /** 1: the token may read values that identify patients; otherwise 0. */
  identifiers: Generated<number>
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** Updated at most once a minute. */
  last_used_at: string | null
}

/** A login of a browser with a named token. */
export interface SessionRow {
  /** SHA-256 of the value of the cookie. */
  digest: string
  token_id: string
  expires_at: string
}

/** A login with the service token that ended with a logout. */
export interface EndedLoginRow {
  /** SHA-256 of the value of the cookie. */
  digest: string
  /** When the cookie would have expired. */
  expires_at: string
}

/** Audit log. Rows are appended, and completed once. */
export interface AuditRow {
  number: Generated<number>
  created_at: string
  user_name: string | null
  token_id: string | null
  operation: string
  /** JSON: ids of the request and of the items that it created. */
  ids: string
  /** HTTP status; null: the request is in progress, or the service ended before it finished. */
  outcome: number | null
  code: string | null
  address: string
  request_id: string
}

/** The process that schedules jobs and stores events, where several share the database. */
export interface ControllerRow {
  fence: Generated<number>
  /** Null: the controller is starting or has ended. */
  address: string | null
  internal_key: string
  folder: string
  pause: string | null
  started_at: string
  beats: Generated<number>
}

/** A location at which a root was configured, and its name at that time. */
export interface KnownRootRow {
  folder: string
  name: string
}

/** Record of a request for predictions. The columns of lists are JSON. */
export interface PredictionTraceRow {
  number: Generated<number>
  prediction_id: string
  created_at: string
  owner: string | null
  model_id: string
  alias: string | null
  checkpoint_digest: string
  software_digest: string | null
  kind: string
  num_cases: number
  num_failed: number
  input_digests: string
  outputs: string
  warnings: string
}

/** A file with predictions, in the folder of its request. */
export interface PredictionFileRow {
  prediction_id: string
  created_at: string
  owner: string | null
  name: string
}

/** A follow-up, whose cases and outcomes are in its folder. */
export interface FollowUpRow {
  number: Generated<number>
  follow_up_id: string
  name: string
  model_id: string
  id_column: string | null
  /** 0 or 1. */
  silent: number
  window_days: number
  owner: string | null
  created_at: string
  closed_at: string | null
  evaluations: Generated<number>
}
