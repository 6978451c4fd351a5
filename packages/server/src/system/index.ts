import type { ServiceContext } from '../context.js'
import { systemRoutes } from './system.routes.js'
import { SystemService } from './system.service.js'

export function createSystem(context: ServiceContext) {
  const service = new SystemService(context)
  return { routes: systemRoutes(service), start: () => service.warmUp() }
}
