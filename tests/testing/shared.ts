import { inject } from 'vitest'
import type { SharedService } from './shared-services.js'

/**
 * Service of this worker: files in other workers have their own service, so that trainings do not wait for each other. It replays
 * trainings that are recorded (tests/recordings), and trains the others in new processes.
 */
export const shared: SharedService = ofThisWorker(inject('services'))

/** Service of all workers, for what only a real training can show. Its processes are ready, so a training starts at once. */
export const training: SharedService = inject('trainingService')

function ofThisWorker(services: SharedService[]): SharedService {
  const worker = Number(process.env.VITEST_POOL_ID)
  const service = services[worker - 1]
  if (!service) throw new Error(`no service was started for worker ${worker} of ${services.length}`)
  return service
}
