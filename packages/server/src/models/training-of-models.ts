import type { Job } from '@medloom/contracts'
import type { Places } from '../training/scheduling/places.js'

/** What the training domain knows: the job that trained a model, and which accelerators are free. */
export interface TrainingOfModels {
  job(jobId: string): Promise<Job>
  readonly places: Pick<Places, 'tryHold'>
}
