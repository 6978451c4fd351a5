import { MedloomError } from '@medloom/client'
import type { Dataset, RouteInput } from '@medloom/contracts'
import { service } from '../../app/service'
import { requestOf } from './registration-request'

type Roles = NonNullable<RouteInput<'registerDataset'>['body']['roles']>

/** Registers a table on which a model was evaluated. Its columns have the same roles as in the training, whatever their content suggests. */
export async function registerEvaluatedTable(path: string, job_id: string): Promise<Dataset> {
  const training = await service.getJobStatus({ job_id })
  const request = requestOf(path, training)
  try {
    return await service.registerDataset(request)
  } catch (error) {
    if (!(error instanceof MedloomError) || error.code !== 'COLUMN_NOT_FOUND') throw error
    // The model treats an input column that the table lacks as missing; labels, patients and images are present.
    return service.registerDataset({ ...request, roles: withoutInputs(request.roles ?? {}) })
  }
}

function withoutInputs(roles: Roles): Roles {
  const remaining = Object.entries(roles).filter(([, role]) => ['label', 'patient', 'image'].includes(role))
  return Object.fromEntries(remaining)
}
