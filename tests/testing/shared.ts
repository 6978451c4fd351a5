import { inject } from 'vitest'
import type { SharedService } from './shared-services.js'

/** The service of this worker: files in other workers have one of their own, so that their trainings do not queue behind each other. */
export const shared: SharedService = ofThisWorker(inject('services'))

function ofThisWorker(services: SharedService[]): SharedService {
  const worker = Number(process.env.VITEST_POOL_ID)
  const service = services[worker - 1]
  if (!service) throw new Error(`no service was started for worker ${worker} of ${services.length}`)
  return service
}
