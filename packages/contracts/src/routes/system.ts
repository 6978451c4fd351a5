import { ServiceState } from '../service-state.js'
import { Health, PreparedCache, PreparedCacheCleared, Ready, SystemInfo } from '../system.js'
import type { RouteDeclaration } from './declaration.js'
import { WORKER_ERRORS } from './errors.js'

/** The machine and the service. */
export const SYSTEM_ROUTES = {
  getSystemInfo: {
    method: 'GET',
    path: '/api/system/info',
    tag: 'system',
    access: 'read',
    owned: false,
    summary: 'Get GPU, disk and versions',
    response: SystemInfo,
  },
  getServiceState: {
    method: 'GET',
    path: '/api/system/state',
    tag: 'system',
    access: 'read',
    owned: false,
    summary: 'Get the state of the service: resource usage and the newest items',
    response: ServiceState,
  },
  getHealth: {
    method: 'GET',
    path: '/api/system/health',
    tag: 'system',
    access: 'read',
    owned: false,
    summary: 'Check whether the service is running',
    response: Health,
  },
  getReady: {
    method: 'GET',
    path: '/api/system/ready',
    tag: 'system',
    access: 'read',
    owned: false,
    summary: 'Check whether the service can train: database, disk and Python respond',
    response: Ready,
  },
  getPreparedCache: {
    method: 'GET',
    path: '/api/system/cache',
    tag: 'system',
    access: 'read',
    owned: false,
    summary: 'Get the number and size of the prepared images in the cache',
    response: PreparedCache,
    errors: [...WORKER_ERRORS],
  },
  clearPreparedCache: {
    method: 'DELETE',
    path: '/api/system/cache',
    tag: 'system',
    access: 'admin',
    changes: true,
    owned: false,
    summary: 'Remove the prepared images that are not in use; they are prepared again when they are needed',
    response: PreparedCacheCleared,
    errors: [...WORKER_ERRORS],
  },
} as const satisfies Record<string, RouteDeclaration>
