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
}

export interface JobRow {
  job_id: string
  /** Order of acceptance; the queue is first in, first out. */
  number: Generated<number>
  job_name: string
  status: string
  phase: string | null
  reason: string | null
  error: string | null
  config: string
  prepared: string | null
  metrics: string
  notes: string
  best: string | null
  /** How the model compares with the best of its baselines. */
  baseline_verdict: string | null
  epoch: number
  total_epochs: number
  eta_seconds: number | null
  attempt: number
  /** stop or finish, durable before the trainer hears of it. */
  request: string | null
  /** Names the trainer of this attempt for its launcher; stored before the trainer begins. */
  handle: string | null
  /** What the job occupies: accelerators, or the CPU; stored before its trainer begins. */
  places: string | null
  /** Since when and at what the trainer makes no steps; null while it does. */
  stalled: string | null
  /** Bytes of events.<attempt>.jsonl that are folded in; moves in the same transaction as what they changed. */
  events_offset: number
  last_seq: number
  resumed_from: string | null
  /** Of that job; null: the last one. */
  resumed_checkpoint: string | null
  /** The trained model that the job started from. */
  fine_tuned_from: string | null
  /** Of the record of an ensemble, which trained nothing: the models that it combines. */
  ensemble: string | null
  /** The study that the job is a training of, and which one. */
  study_id: string | null
  study_position: number | null
  model_id: string | null
  report_path: string | null
  owner: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  /** JSON: an array. */
  tags: Generated<string>
  note: Generated<string>
  /** 0 or 1. */
  pinned: Generated<number>
  archived: Generated<number>
  duration_seconds: GeneratedAlways<number | null>
  /** JSON: what a list shows of the configuration. */
  headline: GeneratedAlways<string>
  /** What a search looks through. */
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
  /** The message as it goes over the socket. */
  message: string
}

/** How far the progress messages of a job are folded into its levels. */
export interface MetricCurveRow {
  job_id: string
  folded_seq: number
  /** Progress before this seq is deleted, but for the newest. */
  kept_seq: number
  points: number
  /** By level, the bucket that is being filled. */
  open: string
  /** 1: an older version stored the progress, and it was not folded yet. */
  behind: number
}

/** How far the file of an attempt that says what it takes of its machine is folded. */
export interface ResourceCurveRow {
  job_id: string
  attempt: number
  read_bytes: number
  points: number
  /** By level, the bucket that is being filled. */
  open: string
  /** Why a value was null the last time. */
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
  error: string | null
  config: string
  /** Key of the configuration that names a table → what was in it when the study was accepted. */
  digests: string
  metric: string
  reference: string
  /** What the status shows of the results. */
  results: string | null
  /** Relative to the folder of the study. */
  report: string | null
  /** stop, durable before any training hears of it. */
  request: string | null
  /** Its jobs have the same. */
  owner: string | null
  created_at: string
  ended_at: string | null
}

/** A training of a study; its states are those of its job. */
export interface StudyTrainingRow {
  study_id: string
  /** Its place in the study, from 0. */
  position: number
  variant: string
  seed: number
  /** JSON: data.fold of the training. */
  fold: string | null
  /** The newest of its jobs. */
  job_id: string | null
  /** 1: a job is to be started for it. */
  due: number
  /** What its newest job measured on the held-out cases, or in validation; of a trial in validation. */
  metrics: string | null
  /** Number of a trial of a search. */
  trial: number | null
  /** JSON: what the trial sets, once it was asked for. */
  settings: string | null
  /** Of a complete trial: the validation metric that the search chooses by. */
  value: number | null
  /** The epoch with which validation ended the trial early. */
  pruned_at: number | null
  /** Why the settings of a trial are no valid configuration: it is not trained. */
  refused: string | null
}

export interface ModelRow {
  model_id: string
  number: Generated<number>
  job_id: string
  record: string
  created_at: string
  /** Of the record. */
  architecture: GeneratedAlways<string>
  fusion_type: GeneratedAlways<string>
  /** How often it was evaluated on a split that it was neither trained nor selected on. */
  evaluations: Generated<number>
}

export interface EvaluationRow {
  evaluation_id: string
  /** Order in which they were stored. */
  number: number
  model_id: string
  split: string
  /** Digest of the table and images that were evaluated on. */
  data_digest: string
  record: string
  created_at: string
  /** Of the record: the comparison that it was a part of. */
  comparison_id: GeneratedAlways<string | null>
}

/** Work that goes on without its caller. */
export interface TaskRow {
  task_id: string
  number: Generated<number>
  route: string
  request: string
  state: string
  /** At its end; until then the service knows it. */
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

/** What an editor has not saved. */
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
  /** It does not exist any more for anyone; what belongs to it is being removed. */
  deleted_at: string | null
}

/** A document of workflows and runs, once for all that have it; removed with the last of them. */
export interface WorkflowDocumentRow {
  /** SHA-256 of the text. */
  digest: string
  /** The saved format without its history: a run adds to the history and is no change of the workflow. */
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
  progress: number
  /** Of the workflow as it runs, whatever is saved meanwhile. */
  document_digest: string
  targets: string | null
  force: string
  from_run: string | null
  /** How often a service has taken it up. */
  attempt: number
  /** cancel, durable before anything is cancelled. */
  request: string | null
  /** Its jobs have the same. */
  owner: string | null
  created_at: string
  ended_at: string | null
  /** Nodes by status: of what workflow_run_nodes holds, and of those that are still pending. */
  counts: Generated<string>
}

export interface WorkflowRunNodeRow {
  run_id: string
  node: string
  status: string
  state: string
}

/** What the latest result of a node was made from, and its cache key. */
export interface WorkflowMadeRow {
  workflow_id: string
  node: string
  key: string
  parts: string
  /** How long it took; null where it came from the cache. */
  seconds: number | null
}

/** The training job that computes a node, by everything that decides its result. */
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

/** Content digests of outside files, good as long as the file's size, times and number are these. */
export interface FileDigestRow {
  path: string
  seen: string
  sha256: string
}

/** Files that nodes have put below the output folder, and what was in them. */
export interface WrittenFileRow {
  path: string
  sha256: string
  owner: string | null
}

/** Numbers that are given out, each once: the last one by name. */
export interface CounterRow {
  name: string
  value: number
}

/** A folder to delete, relative to the data folder. */
export interface PendingRemovalRow {
  path: string
}

/** Who works on the service. */
export interface UserRow {
  user_name: string
  /** Jobs that may run or wait at the same time; null: no limit. */
  max_running_jobs: number | null
  max_queued_jobs: number | null
  created_at: string
}

/** A token of a user. Rows stay: whoever is named in the audit log is known. */
export interface TokenRow {
  number: Generated<number>
  token_id: string
  /** SHA-256 of the token, which is stored nowhere. */
  digest: string
  name: string
  user_name: string
  role: string
  /** 0 or 1: whether it may read values that identify patients. */
  identifiers: Generated<number>
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** At most one write a minute. */
  last_used_at: string | null
}

/** A login of a browser by a named token. */
export interface SessionRow {
  /** SHA-256 of the value of the cookie. */
  digest: string
  token_id: string
  expires_at: string
}

/** A login with the token of the service that a logout has ended. */
export interface EndedLoginRow {
  /** SHA-256 of the value of the cookie. */
  digest: string
  /** When the cookie would have expired. */
  expires_at: string
}

/** Who did what. Rows are appended and completed once. */
export interface AuditRow {
  number: Generated<number>
  created_at: string
  user_name: string | null
  token_id: string | null
  operation: string
  /** JSON: ids of the request and of what it made. */
  ids: string
  /** HTTP status; null: the work goes on, or the service ended meanwhile. */
  outcome: number | null
  code: string | null
  address: string
  request_id: string
}

/** The process that schedules and ingests, where several share the database. */
export interface ControllerRow {
  fence: Generated<number>
  /** Null: it begins, or has ended. */
  address: string | null
  internal_key: string
  folder: string
  pause: string | null
  started_at: string
  beats: Generated<number>
}

/** A place at which a root was configured, and what it was called then. */
export interface KnownRootRow {
  folder: string
  name: string
}
