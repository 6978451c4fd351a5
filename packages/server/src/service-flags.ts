import { LIMITS } from '@medloom/contracts'
import { LAUNCHER_NAMES } from './ports/launcher-names.js'
import { GRACE_SECONDS, POLL_SECONDS } from './ports/slurm-settings.js'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export const NODE_PLACES = ['local', 'ray'] as const
/** Processes of one service. */
export const PROCESS_ROLES = ['all', 'api', 'controller'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]
export type LogLevel = (typeof LOG_LEVELS)[number]

/** One flag of `medloom serve`. */
export interface ServiceFlag {
  /** Equivalent environment variable. */
  readonly env: string
  /** Placeholder of the value in the help: `--port <number>`. */
  readonly value: string
  readonly meaning: string
  /** The default as it would be typed; null: none, or one that depends on the machine (`otherwise`). */
  readonly default: string | null
  /** Behavior without the flag, if `default` alone does not show it. */
  readonly otherwise?: string
}

/** Every flag of `medloom serve`. A flag takes precedence over its environment variable, which takes precedence over the default. */
export const SERVICE_FLAGS = {
  host: { env: 'MEDLOOM_HOST', value: 'address', meaning: 'Address to listen on', default: '127.0.0.1' },
  port: { env: 'MEDLOOM_PORT', value: 'number', meaning: 'Port; 0 selects a free port', default: '8000' },
  'data-dir': {
    env: 'MEDLOOM_DATA_DIR',
    value: 'folder',
    meaning: 'Folder of the database, runs, caches and logs',
    default: './medloom-data',
  },
  'database-url': {
    env: 'MEDLOOM_DATABASE_URL',
    value: 'address',
    meaning:
      'Separate PostgreSQL database instead of the file in the data folder: postgres://user@host:5432/name. ' +
      'Set an address with a password in the environment variable, because other users of the machine can read arguments',
    default: null,
    otherwise: 'the file medloom.db in the data folder',
  },
  role: {
    env: 'MEDLOOM_ROLE',
    value: PROCESS_ROLES.join('|'),
    meaning:
      'Role of this process: all; or, with --database-url, api (responds to requests; any number of processes) or controller ' +
      '(schedules and stores training data; one is active, others are on standby)',
    default: 'all',
  },
  'internal-address': {
    env: 'MEDLOOM_INTERNAL_ADDRESS',
    value: 'host',
    meaning: 'Host name or address at which processes with --role api reach this process',
    default: null,
    otherwise: '--host; the name of the machine if --host means all addresses',
  },
  'lost-machine': {
    env: 'MEDLOOM_LOST_MACHINE',
    value: 'name',
    meaning:
      'Name of a lost training machine, whose trainings are marked as lost. For --launcher local with --database-url, where a ' +
      'controller on another machine does not start while trainings are recorded on that machine',
    default: null,
    otherwise: 'none',
  },
  root: {
    env: 'MEDLOOM_ROOTS',
    value: 'folders',
    meaning:
      'Folders that requests can access; repeat the flag or separate folders as in PATH. Relative paths start at the first folder. ' +
      'name=folder sets a name by which stored trainings, studies, datasets and workflows find the folder after a move. Default name: the last part of the path',
    default: '.',
  },
  'site-root': {
    env: 'MEDLOOM_SITE_ROOTS',
    value: 'name=folder',
    meaning:
      'Path of a root on the machines of a cluster as name=folder, or data=folder for the data folder; repeat the flag or separate entries as in PATH',
    default: null,
    otherwise: 'the same paths as on this machine',
  },
  exchange: {
    env: 'MEDLOOM_EXCHANGE',
    value: 'folder|http',
    meaning:
      'Transfer of files to trainers: through a folder shared with the nodes (folder), or over HTTP without a shared folder (http)',
    default: 'folder',
  },
  'exchange-url': {
    env: 'MEDLOOM_EXCHANGE_URL',
    value: 'address',
    meaning: 'Address at which the nodes reach this service, for --exchange http',
    default: null,
    otherwise: 'the address that the service listens on',
  },
  'node-cache': {
    env: 'MEDLOOM_NODE_CACHE_SIZE',
    value: 'size',
    meaning: 'Limit of the data stored on a node, for --exchange http: 500MB, 20GB, or a share of its disk',
    default: '20GB',
  },
  'output-root': {
    env: 'MEDLOOM_OUTPUT_ROOT',
    value: 'folder',
    meaning: 'Folder in which workflow nodes write files; their relative paths start here',
    default: null,
    otherwise: '"outputs" in the data folder',
  },
  'token-file': {
    env: 'MEDLOOM_TOKEN_FILE',
    value: 'file',
    meaning:
      'File with an administrator token; required if --host is not a loopback address and no user has a token',
    default: null,
    otherwise: 'no token',
  },
  'allowed-host': {
    env: 'MEDLOOM_ALLOWED_HOSTS',
    value: 'names',
    meaning:
      'Host names by which clients reach the service through a proxy, comma-separated or repeated; requests with other unknown names are rejected',
    default: null,
    otherwise: 'none',
  },
  'trusted-proxy': {
    env: 'MEDLOOM_TRUSTED_PROXIES',
    value: 'addresses',
    meaning:
      'Addresses of trusted proxies, whose X-Forwarded-For and X-Forwarded-Proto are used, comma-separated or repeated: 10.0.0.7 or 10.0.0.0/24',
    default: null,
    otherwise: 'none',
  },
  'audit-days': {
    env: 'MEDLOOM_AUDIT_DAYS',
    value: 'days',
    meaning: 'Age at which entries of the audit log are removed',
    default: '365',
  },
  'prediction-days': {
    env: 'MEDLOOM_PREDICTION_DAYS',
    value: 'days',
    meaning:
      'Age at which records and files of predictions are removed; 0: predictions are not recorded, and their files are removed after a day',
    default: '365',
  },
  python: {
    env: 'MEDLOOM_PYTHON',
    value: 'file',
    meaning: 'Python interpreter with the trainer',
    default: null,
    otherwise: 'the environment of the project',
  },
  launcher: {
    env: 'MEDLOOM_LAUNCHER',
    value: LAUNCHER_NAMES.join('|'),
    meaning: 'Launcher of trainings: this machine (local), a Ray cluster (ray) or a Slurm cluster (slurm)',
    default: 'local',
  },
  'ray-address': {
    env: 'MEDLOOM_RAY_ADDRESS',
    value: 'address',
    meaning: 'Address of the dashboard of the Ray cluster, such as http://10.0.0.1:8265; with --launcher ray',
    default: null,
    otherwise: 'none',
  },
  'ray-token-file': {
    env: 'MEDLOOM_RAY_TOKEN_FILE',
    value: 'file',
    meaning: 'File with the token with which the nodes of the Ray cluster were started',
    default: null,
    otherwise: 'no token',
  },
  'cluster-python': {
    env: 'MEDLOOM_CLUSTER_PYTHON',
    value: 'file',
    meaning: 'Python interpreter with the trainer on the nodes of the cluster',
    default: null,
    otherwise: 'that of --python',
  },
  'slurm-partition': {
    env: 'MEDLOOM_SLURM_PARTITION',
    value: 'name',
    meaning: 'Slurm partition for trainings, with --launcher slurm',
    default: null,
    otherwise: 'the default partition of the cluster',
  },
  'slurm-account': {
    env: 'MEDLOOM_SLURM_ACCOUNT',
    value: 'name',
    meaning: 'Slurm account for trainings',
    default: null,
    otherwise: 'the default account of the user',
  },
  'slurm-qos': {
    env: 'MEDLOOM_SLURM_QOS',
    value: 'name',
    meaning: 'Slurm quality of service',
    default: null,
    otherwise: 'the default of the account',
  },
  'slurm-time': {
    env: 'MEDLOOM_SLURM_TIME',
    value: 'time',
    meaning:
      'Time limit of each attempt in the format of sbatch: 90 (minutes), 4:00:00, 1-12:00:00. An attempt saves a checkpoint before the limit, and the next attempt continues from it',
    default: null,
    otherwise: 'that of the partition',
  },
  'slurm-grace': {
    env: 'MEDLOOM_SLURM_GRACE',
    value: 'seconds',
    meaning:
      'Time before the limit at which an attempt is requested to save its checkpoint; Slurm can send the request a minute earlier',
    default: String(GRACE_SECONDS),
  },
  'slurm-memory': {
    env: 'MEDLOOM_SLURM_MEMORY',
    value: 'size',
    meaning: 'Memory of a training in the format of sbatch: 16G',
    default: null,
    otherwise: 'that of the partition',
  },
  'slurm-options': {
    env: 'MEDLOOM_SLURM_OPTIONS',
    value: 'options',
    meaning: 'Additional long options of sbatch, with = before the value: --constraint=a100 --exclusive',
    default: null,
    otherwise: 'none',
  },
  'slurm-poll': {
    env: 'MEDLOOM_SLURM_POLL',
    value: 'seconds',
    meaning: 'Interval of requests to Slurm for the states of all trainings',
    default: String(POLL_SECONDS),
  },
  'max-jobs': {
    env: 'MEDLOOM_MAX_JOBS',
    value: 'number',
    meaning: 'Maximum number of training jobs, and evaluations on a GPU, that run at the same time',
    default: null,
    otherwise: 'one per GPU, one on a CPU; on a cluster, as many as fit',
  },
  'max-queued': {
    env: 'MEDLOOM_MAX_QUEUED',
    value: 'number',
    meaning: 'Maximum number of queued training jobs; further jobs are rejected with QUEUE_FULL',
    default: String(LIMITS.queued_jobs),
  },
  'max-sockets': {
    env: 'MEDLOOM_MAX_SOCKETS',
    value: 'number',
    meaning:
      'Maximum number of open WebSocket connections per token, or per address without a token; further connections are rejected with TOO_MANY_SOCKETS',
    default: String(LIMITS.open_sockets),
  },
  prewarm: {
    env: 'MEDLOOM_PREWARM',
    value: 'on|off',
    meaning:
      'Import PyTorch at the start, so that the first training starts immediately; off saves memory until then. --idle-seconds frees the memory again',
    default: 'on',
  },
  'idle-seconds': {
    env: 'MEDLOOM_IDLE_SECONDS',
    value: 'seconds',
    meaning:
      'Idle time after which the processes with PyTorch loaded end, which frees about 700 MB; the next training or task starts them again within seconds. 0: they never end',
    default: '900',
  },
  'stop-grace': {
    env: 'MEDLOOM_STOP_GRACE',
    value: 'seconds',
    meaning: 'Time for a stopped job to save its checkpoint before it is killed',
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
    meaning: 'Folder of custom nodes, whose Python files workflows can run',
    default: null,
    otherwise: 'none',
  },
  'nodes-on': {
    env: 'MEDLOOM_NODES_ON',
    value: NODE_PLACES.join('|'),
    meaning: 'Where workflow nodes are computed: this machine, or the Ray cluster of --ray-head',
    default: 'local',
  },
  'node-workers': {
    env: 'MEDLOOM_NODE_WORKERS',
    value: 'number',
    meaning: 'Maximum number of workflow nodes that a cluster computes at the same time',
    default: null,
    otherwise: 'one per CPU of the cluster without a training',
  },
  'ray-head': {
    env: 'MEDLOOM_RAY_HEAD',
    value: 'host:port',
    meaning:
      'Ray cluster that computes workflow nodes, in the format of ray start --address; this machine must belong to it',
    default: null,
    otherwise: 'the cluster that this machine belongs to',
  },
  'ray-python': {
    env: 'MEDLOOM_RAY_PYTHON',
    value: 'file',
    meaning: 'Python interpreter of this machine with Ray and the trainer',
    default: null,
    otherwise: 'the environment that medloom setup --ray creates',
  },
  'worker-memory': {
    env: 'MEDLOOM_WORKER_MEMORY',
    value: 'bytes',
    meaning: 'Memory limit of a worker process',
    default: null,
    otherwise: "three quarters of the machine's memory",
  },
  'worker-deadline': {
    env: 'MEDLOOM_WORKER_DEADLINE',
    value: 'seconds',
    meaning:
      'Time without activity, for example on a file that does not respond, after which a worker is stopped. Inspections, checks of trainings, previews and images are also stopped after 15 times this time in total, plus 1 s per 128 KiB of their input',
    default: '120',
  },
  'image-cache': {
    env: 'MEDLOOM_IMAGE_CACHE',
    value: 'size',
    meaning: 'Limit of the total size of all prepared images: 500MB, 20GB, or a share of the disk',
    default: '20%',
  },
  open: {
    env: 'MEDLOOM_OPEN',
    value: 'on|off',
    meaning: 'Open the page in the browser, if there is a terminal and a desktop',
    default: 'off',
    otherwise: 'off; on with npm start, unless --no-open is set',
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
