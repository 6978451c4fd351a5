export { AppError, StartError } from './errors.js'
export { runService } from './process.js'
export { type RunningService, startService } from './service.js'
export { readSettings, SERVICE_FLAGS, type ServiceFlag, type Settings } from './settings.js'
