import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JobMessage, TrainingConfig } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Database } from '../../packages/server/src/database/database.js'
import type { Tables } from '../../packages/server/src/database/schema.js'
import { RunDirectory } from '../../packages/server/src/storage/run-directory.js'
import { StoredPaths } from '../../packages/server/src/training/configuration/stored-paths.js'
import { RECENT_MESSAGES } from '../../packages/server/src/training/metrics/metric-rollup.js'
import { TrainingRepository } from '../../packages/server/src/training/training.repository.js'
import { idOf, LAUNCHER } from './simulated-launcher.js'
import type { TrainerPlace } from './trainers.js'

export interface Seeded {
  readonly waiting: readonly string[]
  readonly running: readonly SeededTrainer[]
}

export interface SeededTrainer extends TrainerPlace {
  readonly jobId: string
  /** Number of existing messages. */
  readonly history: number
}

export interface Size {
  readonly queued: number
  readonly running: number
  /** Running jobs with so many messages that their curves are rolled up during the bench. */
  readonly folding: number
}

export const ATTEMPT = 1
const ROWS_PER_TRANSACTION = 1000
/** The curves of a job are rolled up at this number of messages, and again after each further multiple. */
const FOLDED_AT = 2 * RECENT_MESSAGES

/** Data that the service of a busy cluster leaves at its end: waiting jobs, and jobs whose trainers continue. */
export async function seed(database: Database, dataDir: string, root: string, size: Size): Promise<Seeded> {
  writeFileSync(join(root, 'train.csv'), 'label\n')
  const repository = new TrainingRepository(database, new StoredPaths([]))
  const config = configOf(join(root, 'train.csv'))
  const ids = Array.from({ length: size.running + size.queued }, () => randomUUID())
  const running = ids.slice(0, size.running).map((jobId, index): SeededTrainer => {
    const run = join(dataDir, 'runs', jobId)
    const history = index < size.folding ? FOLDED_AT - 1 - Math.floor((index * 100) / size.folding) : 0
    return { jobId, id: idOf(jobId, ATTEMPT), run, attempt: ATTEMPT, history }
  })
  await inTransactions(database, ids, async (job_id, transaction) => {
    const job = { job_id, job_name: `training ${job_id.slice(0, 8)}`, config, epoch: 0, total_epochs: 50 }
    const origin = { resumed_from: null, fine_tuned_from: null }
    await repository.insert({ ...job, ...origin, created_at: new Date().toISOString() }, transaction)
  })
  await inTransactions(database, running, async ({ jobId, id, history }, transaction) => {
    const started = { status: 'running', phase: 'training', started_at: new Date().toISOString() } as const
    const trainer = { attempt: ATTEMPT, handle: { launcher: LAUNCHER, id }, places: ['cpu'] }
    const job = { job_id: jobId, status: 'started' } as const
    await repository.update(job, { ...started, ...trainer, last_seq: history }, transaction)
    await repository.append(messages(jobId, history), transaction)
  })
  for (const { run } of running) {
    mkdirSync(run, { recursive: true })
    writeFileSync(new RunDirectory(run).spec, '{}')
  }
  return { waiting: ids.slice(size.running), running }
}

export function configOf(train_csv: string): TrainingConfig {
  return TrainingConfig.parse({
    data: { train_csv },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
    training: { epochs: 50, batch_size: 32, device: 'cpu' },
  })
}

function messages(job_id: string, count: number): JobMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'progress',
    job_id,
    seq: index + 1,
    timestamp: '2026-01-02T03:04:05.000Z',
    epoch: 1,
    metrics: { loss: 1, accuracy: 0.5, learning_rate: 0.001, samples_per_second: 74.4, gradient_norm: 1 },
    batch: index + 1,
    total_batches: 1_000_000,
    eta_seconds: 100,
  }))
}

async function inTransactions<Item>(
  database: Database,
  items: readonly Item[],
  work: (item: Item, transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_PER_TRANSACTION)
    await database.withoutWaiting(async (transaction) => {
      for (const item of items.slice(start, start + ROWS_PER_TRANSACTION)) await work(item, transaction)
    })
}
