import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Job, type Prepared, TrainingConfig } from '@medloom/contracts'
import type { Database } from '../src/database/database.js'
import type { StoredModel } from '../src/models/models.repository.js'

const fixture = (name: string) => join(import.meta.dirname, '..', '..', 'reports', 'testing', name)

/** A job that has ended. */
export const JOB: Job = JSON.parse(readFileSync(fixture('job.json'), 'utf8'))
/** The properties that a training has determined from its data. */
export const PREPARED = JOB.prepared as Prepared
/** A file that an evaluation may write. */
export const EVALUATION_FILE = fixture('binary.json')

export function configOf(data: object = {}, device = 'cpu:2'): TrainingConfig {
  return TrainingConfig.parse({
    data: { train_csv: 'train.csv', ...data },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
    training: { epochs: 2, batch_size: 4, device },
  })
}

/** Inserts an ended job, as the origin of models. */
export async function insertJob(database: Database, config = configOf()): Promise<string> {
  const job_id = randomUUID()
  const now = new Date().toISOString()
  await database
    .insertInto('jobs')
    .values({
      job_id,
      job_name: 'test',
      status: 'completed',
      config: JSON.stringify(config),
      prepared: JSON.stringify({ ...PREPARED, split_column: null }),
      metrics: JSON.stringify({ train_loss: 1, val_loss: 1, val_accuracy: 1, val_auc: 1 }),
      notes: '{}',
      epoch: 2,
      total_epochs: 2,
      attempt: 1,
      events_offset: 0,
      last_seq: 0,
      created_at: now,
      started_at: now,
      ended_at: now,
    })
    .execute()
  return job_id
}

export function modelOf(job_id: string, kind: Partial<StoredModel> = {}): StoredModel {
  return {
    architecture: 'resnet18',
    fusion_type: 'gated',
    created_at: new Date().toISOString(),
    metrics: { val_accuracy: 0.5, val_auc: null },
    task: 'classification',
    classes: ['benign', 'malignant'],
    parameters: 1000,
    job_id,
    job_name: 'test',
    checkpoint_path: `/moved/away/runs/${job_id}/checkpoints/best`,
    data_digests: {},
    aliases: undefined,
    ...kind,
  } as StoredModel
}

/** A checkpoint with the right format, but without real weights. */
export function writeCheckpoint(folder: string, job_id: string, epoch: number): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'model.safetensors'), 'x'.repeat(10))
  writeFileSync(join(folder, 'state.json'), 'x'.repeat(5))
  writeFileSync(
    join(folder, 'checkpoint.json'),
    JSON.stringify({
      schema_version: 1,
      job_id,
      epoch,
      created_at: new Date().toISOString(),
      metrics: { val_auc: 0.5 },
      files: {
        model: { file: 'model.safetensors', sha256: 'c'.repeat(64), size_bytes: 10 },
        state: { file: 'state.json', sha256: 'd', size_bytes: 5 },
      },
    }),
  )
}

const refused = async (): Promise<never> => {
  throw new Error('no ensemble is made in this test')
}

/** For a ModelsService that creates and removes no ensembles. */
export const noEnsembles = { keepEnsemble: refused, forgetEnsemble: refused }
