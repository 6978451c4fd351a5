import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JobMessage, type NodeState, type Prepared, TrainingConfig } from '@medloom/contracts'
import { batches } from '../../packages/server/src/database/batches.js'
import { type Database, openDatabase } from '../../packages/server/src/database/database.js'
import { registerModel } from '../../packages/server/src/models/models.repository.js'
import { StoredPaths } from '../../packages/server/src/training/configuration/stored-paths.js'
import {
  addPoint,
  bucketOf,
  type CompleteBucket,
  finestLevel,
  NO_LEVELS,
  type OpenLevels,
} from '../../packages/server/src/training/metrics/metric-levels.js'
import { MetricLevelsRepository } from '../../packages/server/src/training/metrics/metric-levels.repository.js'
import { RECENT_MESSAGES } from '../../packages/server/src/training/metrics/metric-rollup.js'
import { TrainingRepository } from '../../packages/server/src/training/training.repository.js'
import { countNodes, RunsRepository } from '../../packages/server/src/workflows/runs/runs.repository.js'
import { WorkflowsRepository } from '../../packages/server/src/workflows/workflows.repository.js'
import { draw } from '../../packages/server/testing/draw.js'

/** Content of a data folder. */
export interface Size {
  readonly jobs: number
  readonly runs: number
  /** Progress messages of one training. */
  readonly points: number
}

export interface Filled {
  /** Job with the points. */
  readonly jobId: string
  /** Workflow with the runs. */
  readonly workflowId: string
}

const TIME = '2026-01-02T03:04:05.000Z'
const POINTS_PER_EPOCH = 1000
const ROWS_PER_TRANSACTION = 1000

/** Fills a new data folder like months of use, through the repositories and without a training. */
export async function fill(dataDir: string, root: string, size: Size): Promise<Filled> {
  mkdirSync(dataDir, { recursive: true })
  const database = await openDatabase(join(dataDir, 'medloom.db'))
  try {
    const jobIds = await fillJobs(database, root, size.jobs)
    const jobId = jobIds.at(-1) ?? ''
    await fillPoints(database, jobId, size.points)
    return { jobId, workflowId: await fillRuns(database, size.runs) }
  } finally {
    await database.destroy()
  }
}

/** Completed jobs, each with its model. */
export async function fillJobs(database: Database, root: string, count: number): Promise<string[]> {
  writeFileSync(join(root, 'train.csv'), 'label\n')
  const repository = new TrainingRepository(database, new StoredPaths([]))
  const config = configOf(join(root, 'train.csv'))
  const jobs = Array.from({ length: count }, () => randomUUID())
  await inTransactions(database, jobs, async (job_id, transaction) => {
    const job = {
      job_id,
      job_name: `training ${job_id.slice(0, 8)}`,
      config,
      epoch: 0,
      total_epochs: 50,
      resumed_from: null,
      fine_tuned_from: null,
    }
    await repository.insert({ ...job, created_at: TIME }, transaction)
    const model_id = await registerModel(transaction, {
      architecture: 'resnet18',
      fusion_type: 'gated',
      created_at: TIME,
      metrics: METRICS,
      task: 'classification',
      classes: ['benign', 'malignant'],
      parameters: 11_000_000,
      job_id,
      job_name: 'training',
      checkpoint_path: `/runs/${job_id}/checkpoints/best`,
      data_digests: PREPARED.data_digests,
      fine_tuned_from: null,
    })
    const end = {
      status: 'completed',
      reason: 'all epochs done',
      epoch: 50,
      started_at: TIME,
      ended_at: TIME,
    } as const
    const result = { prepared: PREPARED, metrics: METRICS, best: { epoch: 40, metrics: METRICS } }
    const stored = { ...end, ...result, model_id, report_path: '/reports/report.html', attempt: 1 }
    await repository.update({ job_id, status: 'started' }, stored, transaction)
  })
  return jobs
}

/**
 * Messages of a long training as the service stores them: the older progress in levels, everything else and the latest messages unchanged.
 * Levels that would be dropped in the end are never written.
 */
export async function fillPoints(database: Database, jobId: string, count: number): Promise<void> {
  const repository = new TrainingRepository(database, new StoredPaths([]))
  const repositoryOfLevels = new MetricLevelsRepository(database)
  const folded_seq = Math.max(0, count - RECENT_MESSAGES)
  const finest = finestLevel(folded_seq - Math.floor(folded_seq / POINTS_PER_EPOCH))
  let levels: OpenLevels = NO_LEVELS
  const buckets: CompleteBucket[] = []
  const storedMessages: JobMessage[] = []
  for (let seq = 1; seq <= count; seq++) {
    const message = messageAt(jobId, seq)
    if (message.type !== 'progress' || seq > folded_seq) storedMessages.push(message)
    else {
      const added = addPoint(levels, bucketOf(message))
      levels = added.levels
      for (const bucket of added.complete) if (bucket.level >= finest) buckets.push(bucket)
    }
  }
  await database.withoutWaiting(async (transaction) => {
    await repository.append(storedMessages, transaction)
    await repositoryOfLevels.add(jobId, buckets, transaction)
    const state = { ...levels, folded_seq, kept_seq: folded_seq + 1 }
    await repositoryOfLevels.save(jobId, state, transaction)
    await repository.update({ job_id: jobId, status: 'completed' }, { last_seq: count }, transaction)
  })
}

function messageAt(job_id: string, seq: number): JobMessage {
  const epoch = Math.floor((seq - 1) / POINTS_PER_EPOCH) + 1
  const batch = ((seq - 1) % POINTS_PER_EPOCH) + 1
  const envelope = { job_id, seq, timestamp: TIME, epoch }
  if (batch === POINTS_PER_EPOCH)
    return {
      type: 'epoch_end',
      ...envelope,
      metrics: METRICS,
      total_epochs: 1000,
      duration_seconds: 100,
      is_best: false,
    }
  const metrics = {
    loss: 1 / epoch + (seq % 17) / 100,
    accuracy: 0.5,
    learning_rate: 0.001,
    samples_per_second: 74.4,
    gradient_norm: 1 + (seq % 13) / 10,
  }
  return { type: 'progress', ...envelope, metrics, batch, total_batches: POINTS_PER_EPOCH, eta_seconds: 10 }
}

/** Finished runs of one workflow, with the states of their nodes. */
async function fillRuns(database: Database, count: number): Promise<string> {
  const runs = new RunsRepository(database)
  const workflows = new WorkflowsRepository(database)
  const workflowId = randomUUID()
  const document = draw({ fusion: ['SelectFusion', { strategy: 'gated' }], backbone: ['SelectBackbone'] })
  const stored = await database
    .transaction()
    .execute((transaction) => workflows.insert(workflowId, document, transaction))
  const state: NodeState = {
    status: 'success',
    reason: null,
    progress: 1,
    message: null,
    error: null,
    started_at: TIME,
    duration: 0.1,
    outputs: {},
  } as never
  const run_id = randomUUID()
  await database.transaction().execute(async (transaction) => {
    const order = {
      ...stored,
      run_id,
      targets: null,
      force: [],
      from_run: null,
      attempt: 1,
      created_at: TIME,
    }
    await runs.insert(order, transaction)
    const states = [
      ['fusion', state],
      ['backbone', state],
    ] as const
    await runs.saveNodes(run_id, states, transaction)
    const counts = countNodes(states.map(([, { status }]) => ({ status })))
    await runs.update(run_id, { status: 'success', progress: 1, counts, ended_at: TIME }, transaction)
    const execution = { timestamp: TIME, status: 'success', duration: 0.1, metrics: {} }
    await workflows.addExecution(workflowId, execution, transaction)
  })
  await repeatRun(database, run_id, count - 1)
  return workflowId
}

/** Copies of a run that the repositories have stored: the same rows with other ids. */
async function repeatRun(database: Database, runId: string, count: number): Promise<void> {
  const { number: _, ...run } = await database
    .selectFrom('workflow_runs')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  const nodes = await database
    .selectFrom('workflow_run_nodes')
    .selectAll()
    .where('run_id', '=', runId)
    .execute()
  const { number: __, ...execution } = await database
    .selectFrom('workflow_executions')
    .selectAll()
    .where('workflow_id', '=', run.workflow_id)
    .executeTakeFirstOrThrow()
  for (let remaining = count; remaining > 0; remaining -= ROWS_PER_TRANSACTION)
    await database.withoutWaiting(async (transaction) => {
      const ids = Array.from({ length: Math.min(remaining, ROWS_PER_TRANSACTION) }, () => randomUUID())
      for await (const some of batches(ids)) {
        const rows = some.map((run_id) => ({ ...run, run_id }))
        await transaction.insertInto('workflow_runs').values(rows).execute()
        const states = some.flatMap((run_id) => nodes.map((node) => ({ ...node, run_id })))
        await transaction.insertInto('workflow_run_nodes').values(states).execute()
        await transaction
          .insertInto('workflow_executions')
          .values(some.map(() => execution))
          .execute()
      }
    })
}

async function inTransactions<Item>(
  database: Database,
  items: readonly Item[],
  work: (item: Item, transaction: Parameters<Parameters<Database['withoutWaiting']>[0]>[0]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_PER_TRANSACTION)
    await database.withoutWaiting(async (transaction) => {
      for (const item of items.slice(start, start + ROWS_PER_TRANSACTION)) await work(item, transaction)
    })
}

export function configOf(train_csv: string): TrainingConfig {
  return TrainingConfig.parse({
    data: { train_csv },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
    training: { epochs: 50, batch_size: 32, device: 'cpu' },
  })
}

const METRICS = { train_loss: 0.3, val_loss: 0.4, val_accuracy: 0.8, val_auc: 0.9 }
const COUNTS = { cases: 800, patients: 700, class_counts: { benign: 500, malignant: 300 } }
const PREPARED: Prepared = {
  task: 'classification',
  classes: ['benign', 'malignant'],
  label_column: 'label',
  patient_column: 'patient_id',
  split_column: null,
  image_columns: ['image'],
  numeric_columns: ['age'],
  categorical_columns: ['sex'],
  ignored_columns: {},
  splits: { train: COUNTS, val: COUNTS },
  parameters: 11_000_000,
  trainable_parameters: 11_000_000,
  device: 'cpu',
  mixed_precision: 'off',
  monitor: 'val_auc',
  warnings: [],
  data_digests: { train: 'a', val: 'b' },
}
