import type { ServiceState } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import type { Training } from '../training/index.js'
import { systemRoutes } from './system.routes.js'
import { SystemService } from './system.service.js'

/** @param state overview of the service. */
export function createSystem(
  context: ServiceContext,
  training: Pick<Training, 'pause' | 'capacity'>,
  state: () => Promise<ServiceState>,
) {
  const service = new SystemService(context, training.pause, training.capacity)
  return { routes: systemRoutes(service, state), start: () => service.warmUp() }
}
