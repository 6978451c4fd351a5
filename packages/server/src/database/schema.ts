import type { Generated } from 'kysely'

/** The tables. Times are ISO 8601 text in UTC; documents are JSON text. */
export interface Tables {
  jobs: JobRow
  job_events: JobEventRow
  models: ModelRow
  evaluations: EvaluationRow
  datasets: DatasetRow
  idempotency: IdempotencyRow
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
  /** The process of this attempt: pid, start time and boot id together name it; a pid alone does not. */
  process: string | null
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
]
