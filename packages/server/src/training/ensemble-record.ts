import {
  type Ensemble,
  fieldsOf,
  type JobMessage,
  type Prepared,
  phrase,
  type TrainingConfig,
  textOf,
} from '@medloom/contracts'
import { registerModel, type StoredModel } from '../models/models.repository.js'
import type { TrainingRepository } from './training.repository.js'

/**
 * Stored data of an ensemble in addition to its model: the location of its files, and the fields that evaluations and reports read from a
 * job.
 */
export interface EnsembleRecord {
  readonly job_id: string
  readonly job_name: string
  readonly ensemble: Ensemble
  /** Configuration of the first member. */
  readonly config: TrainingConfig
  readonly prepared: Prepared
  readonly owner: string | null
  readonly created_at: string
  readonly checkpoint_path: string
}

/** The model of an ensemble, without the fields of its record. */
export type EnsembleModel = Omit<
  StoredModel,
  'job_id' | 'job_name' | 'created_at' | 'checkpoint_path' | 'ensemble'
>

/**
 * Store the record and its model in one transaction. The record has already ended, so no scheduler picks it up. @returns the id of the
 * model.
 */
export function storeEnsemble(
  repository: TrainingRepository,
  record: EnsembleRecord,
  model: EnsembleModel,
): Promise<string> {
  const { ensemble, prepared, checkpoint_path, ...job } = record
  const { job_id, job_name, created_at } = job
  const ended_at = new Date().toISOString()
  return repository.transaction(async (transaction) => {
    await repository.insert(
      { ...job, epoch: 0, total_epochs: 0, resumed_from: null, fine_tuned_from: null },
      transaction,
    )
    const model_id = await registerModel(transaction, {
      ...model,
      ...{ job_id, job_name, created_at, checkpoint_path, ensemble },
    })
    await repository.update(
      { job_id, status: 'started' },
      {
        status: 'completed',
        phase: null,
        ...fieldsOf('reason', textOf(phrase('combined_from', { count: ensemble.members.length }))),
        ...{ ensemble, prepared, model_id, ended_at },
        started_at: created_at,
        attempt: 1,
        last_seq: 1,
      },
      transaction,
    )
    const ended: JobMessage = {
      type: 'completed',
      ...{ job_id, model_id, timestamp: ended_at, best_checkpoint: checkpoint_path },
      seq: 1,
      epoch: 0,
      metrics: {},
      status: 'completed',
      baseline_verdict: null,
      duration_seconds: (Date.parse(ended_at) - Date.parse(created_at)) / 1000,
    }
    await repository.append([ended], transaction)
    return model_id
  })
}
