import type { FastifyBaseLogger } from 'fastify'
import type { Database } from './database/database.js'
import type { Gauges } from './http/metrics.js'
import type { TaskPool } from './ports/task-pool.js'
import type { OutputFolder } from './security/output-folder.js'
import type { Roots } from './security/roots.js'
import type { Settings } from './settings.js'
import type { DataFolder } from './storage/data-folder.js'

/** Objects that every domain receives. */
export interface ServiceContext {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly database: Database
  readonly roots: Roots
  /** Output folder of the nodes. */
  readonly outputs: OutputFolder
  /** Short tasks in Python: probe, inspect, evaluate. */
  readonly pool: TaskPool
  /** Series for GET /metrics. */
  readonly gauges: Gauges
  readonly log: FastifyBaseLogger
}
