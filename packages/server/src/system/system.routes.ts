import type { HandlersOf } from '../http/bind.js'
import type { SystemService } from './system.service.js'

export function systemRoutes(service: SystemService): HandlersOf<'system'> {
  return {
    getSystemInfo: () => service.info(),
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
