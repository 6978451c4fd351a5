import { basename } from 'node:path'
import type { Model } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'

/** The model with the present path of its checkpoint: the data folder may have been moved since it was registered. */
export function placedModel(model: Model, folder: Pick<ServiceContext['folder'], 'run'>): Model {
  const run = folder.run(model.job_id)
  return { ...model, checkpoint_path: run.checkpoint(basename(model.checkpoint_path)) }
}
