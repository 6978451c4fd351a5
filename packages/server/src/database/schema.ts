import type { Generated } from 'kysely'

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

/** Named steps, applied in order, each once. A step that was released is never edited. */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: readonly string[] }[] = [
  {
    name: '0001-first-tables',
    sql: [
      `CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL UNIQUE,
        job_name TEXT NOT NULL,
        status TEXT NOT NULL,
        phase TEXT, reason TEXT, error TEXT,
        config TEXT NOT NULL, prepared TEXT,
        metrics TEXT NOT NULL, notes TEXT NOT NULL, best TEXT,
        epoch INTEGER NOT NULL, total_epochs INTEGER NOT NULL, eta_seconds REAL,
        attempt INTEGER NOT NULL, request TEXT, process TEXT,
        events_offset INTEGER NOT NULL, last_seq INTEGER NOT NULL,
        resumed_from TEXT, model_id TEXT, report_path TEXT,
        created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT
      ) STRICT`,
      'CREATE INDEX jobs_by_status ON jobs (status, number)',
      `CREATE TABLE job_events (
        job_id TEXT NOT NULL REFERENCES jobs (job_id),
        seq INTEGER NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL,
        PRIMARY KEY (job_id, seq)
      ) STRICT, WITHOUT ROWID`,
      // What a follower is given who comes late: everything but superseded progress.
      "CREATE INDEX job_events_kept ON job_events (job_id, seq) WHERE type <> 'progress'",
      `CREATE TABLE models (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        model_id TEXT NOT NULL UNIQUE,
        job_id TEXT NOT NULL UNIQUE REFERENCES jobs (job_id),
        record TEXT NOT NULL, created_at TEXT NOT NULL
      ) STRICT`,
      `CREATE TABLE evaluations (
        evaluation_id TEXT PRIMARY KEY,
        model_id TEXT NOT NULL REFERENCES models (model_id),
        split TEXT NOT NULL, data_digest TEXT NOT NULL, record TEXT NOT NULL, created_at TEXT NOT NULL
      ) STRICT`,
      'CREATE INDEX evaluations_by_model ON evaluations (model_id, split)',
      `CREATE TABLE datasets (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        dataset_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, record TEXT NOT NULL, created_at TEXT NOT NULL
      ) STRICT`,
      `CREATE TABLE idempotency (
        route TEXT NOT NULL, key TEXT NOT NULL, body_digest TEXT NOT NULL, answer TEXT NOT NULL, created_at TEXT NOT NULL,
        PRIMARY KEY (route, key)
      ) STRICT`,
    ],
  },
  {
    name: '0002-workflows',
    sql: [
      `CREATE TABLE workflows (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        workflow_id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL,
        name TEXT NOT NULL, description TEXT NOT NULL, tags TEXT NOT NULL, num_nodes INTEGER NOT NULL,
        document TEXT NOT NULL, execution_history TEXT NOT NULL,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL
      ) STRICT`,
      `CREATE TABLE workflow_runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
        revision INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT, progress REAL NOT NULL,
        document TEXT NOT NULL, targets TEXT, force TEXT NOT NULL, from_run TEXT,
        attempt INTEGER NOT NULL, request TEXT, created_at TEXT NOT NULL, ended_at TEXT
      ) STRICT`,
      'CREATE INDEX workflow_runs_by_workflow ON workflow_runs (workflow_id, number)',
      'CREATE INDEX workflow_runs_open ON workflow_runs (number) WHERE ended_at IS NULL',
      `CREATE TABLE workflow_run_nodes (
        run_id TEXT NOT NULL REFERENCES workflow_runs (run_id) ON DELETE CASCADE,
        node TEXT NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (run_id, node)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE workflow_made (
        workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
        node TEXT NOT NULL, key TEXT NOT NULL, parts TEXT NOT NULL,
        PRIMARY KEY (workflow_id, node)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE workflow_jobs (
        workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
        node TEXT NOT NULL, key TEXT NOT NULL, run_id TEXT NOT NULL, job_id TEXT NOT NULL,
        PRIMARY KEY (workflow_id, node, key)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE cached_results (
        key TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, node TEXT NOT NULL, type TEXT NOT NULL,
        outputs TEXT NOT NULL, created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX cached_results_by_origin ON cached_results (workflow_id, node)',
      `CREATE TABLE cached_blobs (
        key TEXT NOT NULL REFERENCES cached_results (key) ON DELETE CASCADE,
        sha256 TEXT NOT NULL, suffix TEXT NOT NULL, size_bytes INTEGER NOT NULL,
        PRIMARY KEY (key, sha256, suffix)
      ) STRICT, WITHOUT ROWID`,
      'CREATE TABLE file_digests (path TEXT PRIMARY KEY, seen TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT, WITHOUT ROWID',
    ],
  },
  {
    name: '0003-trainer-handles',
    sql: [
      'ALTER TABLE jobs RENAME COLUMN process TO handle',
      // Until now every trainer was a process of this machine.
      `UPDATE jobs SET handle = '{"launcher":"local",' || substr(handle, 2) WHERE handle IS NOT NULL`,
    ],
  },
]
