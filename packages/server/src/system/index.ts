import type { QueuePause } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { systemRoutes } from './system.routes.js'
import { SystemService } from './system.service.js'

/** @param queue why no job is started at the moment. */
export function createSystem(context: ServiceContext, queue: () => QueuePause | null) {
  const service = new SystemService(context, queue)
  return { routes: systemRoutes(service), start: () => service.warmUp() }
}
