import { inject } from 'vitest'
import type { SharedService } from './shared-services.js'

/** Service of this worker: files in other workers have their own service, so that trainings do not wait for each other. */
export const shared: SharedService = ofThisWorker(inject('services'))

function ofThisWorker(services: SharedService[]): SharedService {
  const worker = Number(process.env.VITEST_POOL_ID)
  const service = services[worker - 1]
  if (!service) throw new Error(`no service was started for worker ${worker} of ${services.length}`)
  return service
}
