import { LIMITS } from '@medloom/contracts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** One flag of `medloom serve`. */
export interface ServiceFlag {
  /** Environment variable of the same meaning. */
  readonly env: string
  /** What the value is, for help: `--port <number>`. */
  readonly value: string
  readonly meaning: string
  /** The default as it would be typed; null: none, or one that depends on the machine (`otherwise`). */
  readonly default: string | null
  /** What happens without the flag, where `default` alone does not say it. */
  readonly otherwise?: string
}

/** Every flag of `medloom serve`. A flag wins over its environment variable, which wins over the default. */
export const SERVICE_FLAGS = {
  host: { env: 'MEDLOOM_HOST', value: 'address', meaning: 'Address to listen on', default: '127.0.0.1' },
  port: { env: 'MEDLOOM_PORT', value: 'number', meaning: 'Port; 0 picks a free one', default: '8000' },
  'data-dir': {
    env: 'MEDLOOM_DATA_DIR',
    value: 'folder',
    meaning: 'Folder of the database, runs, caches and logs',
    default: './medloom-data',
  },
  root: {
    env: 'MEDLOOM_ROOTS',
    value: 'folders',
    meaning:
      'Folders that requests may name, repeated or separated as in PATH; relative paths start at the first. ' +
      'name=folder gives a folder a name, by which stored configurations find it after a move',
    default: '.',
  },
  'output-root': {
    env: 'MEDLOOM_OUTPUT_ROOT',
    value: 'folder',
    meaning: 'Folder below which nodes of workflows write files, and where their relative paths start',
    default: null,
    otherwise: '"outputs" in the data folder',
  },
  'token-file': {
    env: 'MEDLOOM_TOKEN_FILE',
    value: 'file',
    meaning: 'File with the token that clients must send; required when --host is not a loopback address',
    default: null,
    otherwise: 'no token',
  },
  python: {
    env: 'MEDLOOM_PYTHON',
    value: 'file',
    meaning: 'Python interpreter that has the trainer',
    default: null,
    otherwise: "the project's own environment",
  },
  'max-jobs': {
    env: 'MEDLOOM_MAX_JOBS',
    value: 'number',
    meaning: 'Training jobs, and evaluations on an accelerator, that run at the same time',
    default: null,
    otherwise: 'one per accelerator, one on a CPU',
  },
  prewarm: {
    env: 'MEDLOOM_PREWARM',
    value: 'on|off',
    meaning:
      'Import PyTorch at the start, so that the first training begins at once; off saves its memory until then',
    default: 'on',
  },
  'stop-grace': {
    env: 'MEDLOOM_STOP_GRACE',
    value: 'seconds',
    meaning: 'Time that a stopped job gets to save its checkpoint before it is killed',
    default: String(LIMITS.stop_grace_seconds),
  },
  'cache-seconds': {
    env: 'MEDLOOM_CACHE_SECONDS',
    value: 'seconds',
    meaning: 'Time after which cached results of workflow nodes expire',
    default: String(LIMITS.cache_seconds),
    otherwise: `${LIMITS.cache_seconds / 86_400} days`,
  },
  nodes: {
    env: 'MEDLOOM_NODES',
    value: 'folder',
    meaning: 'Folder of custom nodes, whose Python files workflows may run',
    default: null,
    otherwise: 'none',
  },
  'worker-memory': {
    env: 'MEDLOOM_WORKER_MEMORY',
    value: 'bytes',
    meaning: 'Memory that one worker process may use',
    default: null,
    otherwise: "three quarters of the machine's memory",
  },
  'worker-deadline': {
    env: 'MEDLOOM_WORKER_DEADLINE',
    value: 'seconds',
    meaning: 'Time without any activity, as on a file that never answers, after which a worker is ended',
    default: '120',
  },
  'image-cache': {
    env: 'MEDLOOM_IMAGE_CACHE',
    value: 'size',
    meaning: 'Limit of all prepared images together: 500MB, 20GB, or a share of the disk',
    default: '20%',
  },
  open: {
    env: 'MEDLOOM_OPEN',
    value: 'on|off',
    meaning: 'Open the page in the browser, where a terminal and a desktop are',
    default: 'off',
    otherwise: 'off; on with npm start, unless --no-open is given',
  },
  'log-level': {
    env: 'MEDLOOM_LOG_LEVEL',
    value: 'level',
    meaning: `One of ${LOG_LEVELS.join(', ')}`,
    default: 'info',
  },
} as const satisfies Readonly<Record<string, ServiceFlag>>
export type Flag = keyof typeof SERVICE_FLAGS
export type FlagWithDefault = {
  [F in Flag]: (typeof SERVICE_FLAGS)[F]['default'] extends string ? F : never
}[Flag]
