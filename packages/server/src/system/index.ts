import type { QueuePause, ServiceState } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { systemRoutes } from './system.routes.js'
import { SystemService } from './system.service.js'

/**
 * @param queue why no job is started at the moment.
 * @param state the service at a glance.
 */
export function createSystem(
  context: ServiceContext,
  queue: () => QueuePause | null,
  state: () => Promise<ServiceState>,
) {
  const service = new SystemService(context, queue)
  return { routes: systemRoutes(service, state), start: () => service.warmUp() }
}
