import { EXCHANGE_LIMITS } from '../exchange.js'
import { UPLOAD_LIMITS } from '../files.js'
import { STUDY_LIMITS } from '../studies/limits.js'
import { WORKFLOW_LIMITS } from '../workflow/saved-workflow.js'

/** Limits of the service; docs/reference/routes.md lists them. */
export const LIMITS = {
  body_bytes: 1024 * 1024,
  body_depth: 32,
  /** Values in a body: the members of objects and lists, and the objects and lists themselves. */
  body_values: 200_000,
  /** Keys in one object of a body. */
  body_keys: 1000,
  /** The same, where columns of a table or fields of a file are keys. */
  body_column_keys: 100_000,
  ...WORKFLOW_LIMITS,
  ...STUDY_LIMITS,
  ...UPLOAD_LIMITS,
  ...EXCHANGE_LIMITS,
  table_bytes: 16 * 1024 ** 3,
  /** An inspection compares every column with the label: about 10 s for this number and a few rows. All protein-coding genes are fewer. */
  table_columns: 25_000,
  queued_jobs: 1000,
  running_tasks: 100,
  /** Share of the job queue and of the running tasks that one of several users may use without a personal quota. */
  user_share: 0.5,
  kept_tasks: 200,
  socket_buffer_bytes: 1024 * 1024,
  socket_ping_seconds: 15,
  /** Limit per caller. */
  open_sockets: 200,
  failed_logins_per_minute: 10,
  session_seconds: 30 * 24 * 3600,
  stop_grace_seconds: 30,
  /** Indexes and pictures of datasets together. */
  browse_cache_bytes: 4 * 1024 ** 3,
  cache_seconds: 30 * 24 * 3600,
} as const
