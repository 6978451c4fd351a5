import type { ServiceState } from '@medloom/contracts'
import type { HandlersOf } from '../http/bind.js'
import type { SystemService } from './system.service.js'

export function systemRoutes(
  service: SystemService,
  state: () => Promise<ServiceState>,
): HandlersOf<'system'> {
  return {
    getSystemInfo: () => service.info(),
    getServiceState: () => state(),
    getHealth: () => ({ status: 'healthy', timestamp: new Date().toISOString(), queue: service.queue() }),
    getReady: async () => {
      const checks = await service.readiness()
      return {
        status: Object.values(checks).every((check) => check.ok) ? 'ready' : 'not_ready',
        timestamp: new Date().toISOString(),
        checks,
      }
    },
    getPreparedCache: () => service.preparedCache(),
    clearPreparedCache: () => service.clearPreparedCache(),
  }
}
