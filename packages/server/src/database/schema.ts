import type { Generated, GeneratedAlways } from 'kysely'

/** The tables. Times are ISO 8601 text in UTC; documents are JSON text. */
export interface Tables {
  jobs: JobRow
  job_events: JobEventRow
  models: ModelRow
  evaluations: EvaluationRow
  datasets: DatasetRow
  idempotency: IdempotencyRow
  workflows: WorkflowRow
  workflow_runs: WorkflowRunRow
  workflow_run_nodes: WorkflowRunNodeRow
  workflow_made: WorkflowMadeRow
  workflow_jobs: WorkflowJobRow
  cached_results: CachedResultRow
  cached_blobs: CachedBlobRow
  file_digests: FileDigestRow
  counters: CounterRow
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
  epoch: number
  total_epochs: number
  eta_seconds: number | null
  attempt: number
  /** stop or finish, durable before the trainer hears of it. */
  request: string | null
  /** Names the trainer of this attempt for its launcher; stored before the trainer begins. */
  handle: string | null
  /** Bytes of events.<attempt>.jsonl that are folded in; moves in the same transaction as what they changed. */
  events_offset: number
  last_seq: number
  resumed_from: string | null
  model_id: string | null
  report_path: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
}

export interface JobEventRow {
  job_id: string
  seq: number
  type: string
  /** The message as it goes over the socket. */
  message: string
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
}

export interface EvaluationRow {
  evaluation_id: string
  model_id: string
  split: string
  /** Digest of the table and images that were evaluated on. */
  data_digest: string
  record: string
  created_at: string
}

export interface DatasetRow {
  dataset_id: string
  number: Generated<number>
  path: string
  record: string
  created_at: string
}

export interface IdempotencyRow {
  route: string
  key: string
  body_digest: string
  answer: string
  created_at: string
}

export interface WorkflowRow {
  workflow_id: string
  number: Generated<number>
  revision: number
  name: string
  description: string
  tags: string
  num_nodes: number
  /** The saved format without its history: a run adds to the history and is no change of the workflow. */
  document: string
  execution_history: string
  created_at: string
  updated_at: string
}

export interface WorkflowRunRow {
  run_id: string
  number: Generated<number>
  workflow_id: string
  revision: number
  status: string
  reason: string | null
  progress: number
  /** The workflow as it runs, whatever is saved meanwhile. */
  document: string
  targets: string | null
  force: string
  from_run: string | null
  /** How often a service has taken it up. */
  attempt: number
  /** cancel, durable before anything is cancelled. */
  request: string | null
  created_at: string
  ended_at: string | null
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

/** Numbers that are given out, each once: the last one by name. */
export interface CounterRow {
  name: string
  value: number
}
