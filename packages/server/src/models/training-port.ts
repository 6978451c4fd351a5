import type { Job } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import type { EnsembleModel, EnsembleRecord } from '../training/ensemble-record.js'
import type { DeviceSlots } from '../training/scheduling/device-slots.js'

/** Information from the training domain: the job that trained a model, and the free accelerators. */
export interface TrainingPort {
  job(jobId: string): Promise<Job>
  keepEnsemble(record: EnsembleRecord, model: EnsembleModel): Promise<string>
  forgetEnsemble(jobId: string, transaction: Transaction<Tables>): Promise<void>
  readonly slots: Pick<DeviceSlots, 'tryAcquire'>
}
