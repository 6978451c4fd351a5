import { Health, PreparedCache, PreparedCacheCleared, Ready, SystemInfo } from '../system.js'
import type { RouteDeclaration } from './declaration.js'
import { WORKER_ERRORS } from './errors.js'

/** The machine and the service. */
export const SYSTEM_ROUTES = {
  getSystemInfo: {
    method: 'GET',
    path: '/api/system/info',
    tag: 'system',
    summary: 'GPU, disk and versions',
    response: SystemInfo,
  },
  getHealth: {
    method: 'GET',
    path: '/api/system/health',
    tag: 'system',
    summary: 'The service runs',
    response: Health,
  },
  getReady: {
    method: 'GET',
    path: '/api/system/ready',
    tag: 'system',
    summary: 'The service can train: database, disk and Python answer',
    response: Ready,
  },
  getPreparedCache: {
    method: 'GET',
    path: '/api/system/cache',
    tag: 'system',
    summary: 'Which prepared images are kept, and what they occupy',
    response: PreparedCache,
    errors: [...WORKER_ERRORS],
  },
  clearPreparedCache: {
    method: 'DELETE',
    path: '/api/system/cache',
    tag: 'system',
    summary: 'Remove the prepared images that nothing uses; they are prepared again when they are needed',
    response: PreparedCacheCleared,
    errors: [...WORKER_ERRORS],
  },
} as const satisfies Record<string, RouteDeclaration>
