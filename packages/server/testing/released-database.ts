import Libsql from 'libsql'

/**
 * A database as created by release 0.1.0, with a row in every table, like in existing data folders. Written out here and never changed, so
 * that the current migrations are tested against existing data.
 */
export function createReleasedDatabase(file: string): void {
  const connection = new Libsql(file)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT')
  for (const [name, statements] of Object.entries(STEPS)) {
    for (const statement of statements) connection.exec(statement)
    connection.prepare('INSERT INTO migrations VALUES (?, ?)').run(name, TIME)
  }
  for (const [table, rows] of Object.entries(ROWS))
    for (const row of rows) {
      const columns = Object.keys(row)
      const places = columns.map(() => '?').join(', ')
      connection
        .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
        .run(...Object.values(row))
    }
  connection.close()
}

const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-first-tables': [
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
    // Events that a client receives when it connects late: all except superseded progress.
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
  '0002-workflows': [
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
}

const TIME = '2026-11-21T08:00:00.000Z'
const JOB_CONFIG = {
  data: { train_csv: '/data/train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 8 },
}
export const RELEASED_MODEL = {
  architecture: 'resnet18',
  fusion_type: 'gated',
  created_at: TIME,
  metrics: { val_accuracy: 0.75, val_auc: 0.8 },
  task: 'classification',
  classes: ['benign', 'malignant'],
  parameters: 1000,
  job_name: 'first',
  checkpoint_path: '/data/runs/job-1/checkpoints/best',
  data_digests: { train: 'a' },
}
export const RELEASED_WORKFLOW = {
  version: '1.0',
  metadata: { name: 'drawn', description: 'two nodes', author: 'someone', created_at: TIME, tags: ['skin'] },
  nodes: [
    { id: 'load', type: 'LoadTabular', position: { x: 0, y: 0 }, config: { path: '/data/train.csv' } },
    { id: 'keep', type: 'FilterData', position: { x: 200, y: 0 }, config: {} },
  ],
  connections: [
    { id: 'c1', source: 'load', source_port: 'dataframe', target: 'keep', target_port: 'dataset' },
  ],
}
export const RELEASED_HISTORY = [{ timestamp: TIME, status: 'success', duration: 1.5, metrics: { auc: 0.8 } }]
export const RELEASED_DATASET = {
  dataset_id: 'dataset-1',
  name: 'skin',
  path: '/data/train.csv',
  created_at: TIME,
}
export const RELEASED_OUTPUTS = { out: { type: 'tabular', digest: 'd1', summary: '3 rows', content: {} } }

function job(number: number): Record<string, string | number | null> {
  return {
    number,
    job_id: `job-${number}`,
    job_name: `name ${number}`,
    status: 'completed',
    phase: null,
    reason: null,
    error: null,
    config: JSON.stringify(JOB_CONFIG),
    prepared: JSON.stringify({ task: 'classification', device: 'cpu' }),
    metrics: JSON.stringify({ train_loss: 0.5, val_loss: 0.6, val_accuracy: 0.75, val_auc: 0.8 }),
    notes: '{}',
    best: null,
    epoch: 3,
    total_epochs: 3,
    eta_seconds: 1.5,
    attempt: 1,
    request: null,
    process: null,
    events_offset: 5_000_000_000,
    last_seq: 2,
    resumed_from: null,
    model_id: null,
    report_path: null,
    created_at: TIME,
    started_at: TIME,
    ended_at: TIME,
  }
}

function model(number: number, model_id: string, kind: object = {}): Record<string, string | number> {
  const job_id = `job-${number}`
  const record = JSON.stringify({ ...RELEASED_MODEL, job_id, ...kind })
  return { number, model_id, job_id, record, created_at: TIME }
}

const ROWS: Readonly<Record<string, readonly Readonly<Record<string, string | number | null>>[]>> = {
  jobs: [job(1), job(2), job(3), { ...job(4), process: '{"pid":7,"start":"8","boot":"9"}' }],
  job_events: [
    { job_id: 'job-1', seq: 1, type: 'progress', message: '{"type":"progress","seq":1}' },
    { job_id: 'job-1', seq: 2, type: 'completed', message: '{"type":"completed","seq":2}' },
  ],
  // Numbers 2 to 11 of the first kind are missing.
  models: [
    model(1, 'resnet18_gated_001'),
    model(2, 'resnet18_gated_012'),
    model(3, 'vit_base_patch16_224_cross_attention_007', {
      architecture: 'vit_base_patch16_224',
      fusion_type: 'cross_attention',
    }),
  ],
  evaluations: [
    {
      evaluation_id: 'evaluation-1',
      model_id: 'resnet18_gated_012',
      split: 'test',
      data_digest: 'digest',
      record: '{}',
      created_at: TIME,
    },
  ],
  datasets: [
    {
      number: 1,
      dataset_id: 'dataset-1',
      path: '/data/train.csv',
      record: JSON.stringify(RELEASED_DATASET),
      created_at: TIME,
    },
  ],
  idempotency: [
    {
      route: 'startTraining',
      key: 'key-1',
      // Digest of the request {}.
      body_digest: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
      answer: '{"job_id":"job-1"}',
      created_at: TIME,
    },
  ],
  workflows: [
    {
      number: 1,
      workflow_id: 'workflow-1',
      revision: 4,
      name: 'drawn',
      description: 'two nodes',
      tags: '["skin"]',
      num_nodes: 2,
      document: JSON.stringify(RELEASED_WORKFLOW),
      execution_history: JSON.stringify(RELEASED_HISTORY),
      created_at: TIME,
      updated_at: TIME,
    },
  ],
  workflow_runs: [
    {
      number: 1,
      run_id: 'run-1',
      workflow_id: 'workflow-1',
      revision: 4,
      status: 'success',
      reason: null,
      progress: 1,
      document: JSON.stringify({ ...RELEASED_WORKFLOW, execution_history: [] }),
      targets: '["keep"]',
      force: '[]',
      from_run: null,
      attempt: 1,
      request: null,
      created_at: TIME,
      ended_at: TIME,
    },
  ],
  workflow_run_nodes: [
    { run_id: 'run-1', node: 'keep', status: 'success', state: '{"status":"success"}' },
    { run_id: 'run-1', node: 'load', status: 'cached', state: '{"status":"cached"}' },
  ],
  workflow_made: [{ workflow_id: 'workflow-1', node: 'load', key: 'key-of-load', parts: '{"id":"load"}' }],
  workflow_jobs: [
    { workflow_id: 'workflow-1', node: 'train', key: 'key-of-train', run_id: 'run-1', job_id: 'job-1' },
  ],
  cached_results: [
    {
      key: 'key-of-load',
      workflow_id: 'workflow-1',
      node: 'load',
      type: 'LoadTabular',
      outputs: JSON.stringify(RELEASED_OUTPUTS),
      created_at: 1_795_000_000_000,
    },
  ],
  cached_blobs: [{ key: 'key-of-load', sha256: 'ab'.repeat(32), suffix: '.csv', size_bytes: 6_000_000_000 }],
  file_digests: [{ path: '/data/train.csv', seen: '1 2 3', sha256: 'cd'.repeat(32) }],
}
