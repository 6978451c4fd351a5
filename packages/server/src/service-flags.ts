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
  port: { env: 'MEDLOOM_PORT', value: 'number', meaning: 'Port; 0 picks a free one', default: '8000' },
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
      'PostgreSQL database of its own in place of the file in the data folder: postgres://user@host:5432/name. ' +
      'One with a password belongs in the environment variable: other users of the machine can read arguments',
    default: null,
    otherwise: 'the file medloom.db in the data folder',
  },
  role: {
    env: 'MEDLOOM_ROLE',
    value: PROCESS_ROLES.join('|'),
    meaning:
      'What this process does: everything; or, with --database-url, answer requests (api, any number) or schedule and ingest ' +
      '(controller, one at a time, others wait to take its place)',
    default: 'all',
  },
  'internal-address': {
    env: 'MEDLOOM_INTERNAL_ADDRESS',
    value: 'host',
    meaning: 'Host name or address by which processes with --role api reach this one',
    default: null,
    otherwise: '--host, or the name of the machine where that stands for every address',
  },
  'lost-machine': {
    env: 'MEDLOOM_LOST_MACHINE',
    value: 'name',
    meaning:
      'Name of a machine that trained and does not come back: its trainings count as lost. With --launcher local and --database-url, where a ' +
      'controller on another machine refuses to start as long as some are recorded there',
    default: null,
    otherwise: 'none',
  },
  root: {
    env: 'MEDLOOM_ROOTS',
    value: 'folders',
    meaning:
      'Folders that requests may name, repeated or separated as in PATH; relative paths start at the first. ' +
      'name=folder gives a folder a name, by which stored trainings, studies, datasets and workflows find it after a move; without one its last part is its name',
    default: '.',
  },
  'site-root': {
    env: 'MEDLOOM_SITE_ROOTS',
    value: 'name=folder',
    meaning:
      'Where the machines of a cluster have a root, for trainings and nodes of workflows, or data=folder for the data folder; repeated or separated as in PATH',
    default: null,
    otherwise: 'in the same place as this machine',
  },
  exchange: {
    env: 'MEDLOOM_EXCHANGE',
    value: 'folder|http',
    meaning:
      'How trainers get their files: through a folder that the nodes have, too, or over HTTP where there is none',
    default: 'folder',
  },
  'exchange-url': {
    env: 'MEDLOOM_EXCHANGE_URL',
    value: 'address',
    meaning: 'Address at which the nodes reach this service, for --exchange http',
    default: null,
    otherwise: 'the address that it listens on',
  },
  'node-cache': {
    env: 'MEDLOOM_NODE_CACHE_SIZE',
    value: 'size',
    meaning: 'Limit of the data that a node keeps, for --exchange http: 500MB, 20GB, or a share of its disk',
    default: '20GB',
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
    meaning:
      'File with a token of an administrator; required when --host is not a loopback address and there is no token of a user',
    default: null,
    otherwise: 'no token',
  },
  'allowed-host': {
    env: 'MEDLOOM_ALLOWED_HOSTS',
    value: 'names',
    meaning:
      'Names by which clients reach the service through a proxy, repeated or with commas between them; other unknown names are refused',
    default: null,
    otherwise: 'none',
  },
  'trusted-proxy': {
    env: 'MEDLOOM_TRUSTED_PROXIES',
    value: 'addresses',
    meaning:
      'Addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, repeated or with commas between them: 10.0.0.7 or 10.0.0.0/24',
    default: null,
    otherwise: 'none',
  },
  'audit-days': {
    env: 'MEDLOOM_AUDIT_DAYS',
    value: 'days',
    meaning: 'Age at which entries of the audit log are removed',
    default: '365',
  },
  python: {
    env: 'MEDLOOM_PYTHON',
    value: 'file',
    meaning: 'Python interpreter that has the trainer',
    default: null,
    otherwise: "the project's own environment",
  },
  launcher: {
    env: 'MEDLOOM_LAUNCHER',
    value: LAUNCHER_NAMES.join('|'),
    meaning:
      'Where trainings run: on this machine (local), as jobs of a Ray cluster (ray), or of a Slurm cluster (slurm)',
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
    meaning: 'File with the token of the Ray cluster, which its nodes were started with',
    default: null,
    otherwise: 'no token',
  },
  'cluster-python': {
    env: 'MEDLOOM_CLUSTER_PYTHON',
    value: 'file',
    meaning: 'Python interpreter that has the trainer on the nodes of the cluster',
    default: null,
    otherwise: 'that of --python',
  },
  'slurm-partition': {
    env: 'MEDLOOM_SLURM_PARTITION',
    value: 'name',
    meaning: 'Partition of Slurm that trains; with --launcher slurm',
    default: null,
    otherwise: 'the default partition of the cluster',
  },
  'slurm-account': {
    env: 'MEDLOOM_SLURM_ACCOUNT',
    value: 'name',
    meaning: 'Account of Slurm that trainings are charged to',
    default: null,
    otherwise: 'the default account of the user',
  },
  'slurm-qos': {
    env: 'MEDLOOM_SLURM_QOS',
    value: 'name',
    meaning: 'Quality of service of Slurm',
    default: null,
    otherwise: 'the default of the account',
  },
  'slurm-time': {
    env: 'MEDLOOM_SLURM_TIME',
    value: 'time',
    meaning:
      'Time limit of each attempt, as sbatch reads it: 90 (minutes), 4:00:00, 1-12:00:00. Before it an attempt saves its checkpoint, and the next one goes on',
    default: null,
    otherwise: 'that of the partition',
  },
  'slurm-grace': {
    env: 'MEDLOOM_SLURM_GRACE',
    value: 'seconds',
    meaning:
      'Time before its limit at which an attempt is asked to save its checkpoint; Slurm may ask a minute earlier',
    default: String(GRACE_SECONDS),
  },
  'slurm-memory': {
    env: 'MEDLOOM_SLURM_MEMORY',
    value: 'size',
    meaning: 'Memory of a training, as sbatch reads it: 16G',
    default: null,
    otherwise: 'that of the partition',
  },
  'slurm-options': {
    env: 'MEDLOOM_SLURM_OPTIONS',
    value: 'options',
    meaning:
      'Further options of sbatch, each with two dashes and = before its value: --constraint=a100 --exclusive',
    default: null,
    otherwise: 'none',
  },
  'slurm-poll': {
    env: 'MEDLOOM_SLURM_POLL',
    value: 'seconds',
    meaning: 'How often Slurm is asked for the states of all trainings, with one command',
    default: String(POLL_SECONDS),
  },
  'max-jobs': {
    env: 'MEDLOOM_MAX_JOBS',
    value: 'number',
    meaning: 'Training jobs, and evaluations on an accelerator, that run at the same time',
    default: null,
    otherwise: 'one per accelerator, one on a CPU; on a cluster as many as fit',
  },
  'max-queued': {
    env: 'MEDLOOM_MAX_QUEUED',
    value: 'number',
    meaning: 'Training jobs that may wait; another one is refused with QUEUE_FULL',
    default: String(LIMITS.queued_jobs),
  },
  'max-sockets': {
    env: 'MEDLOOM_MAX_SOCKETS',
    value: 'number',
    meaning:
      'WebSocket connections that one token, or one address without a token, may have open; another one is refused with TOO_MANY_SOCKETS',
    default: String(LIMITS.open_sockets),
  },
  prewarm: {
    env: 'MEDLOOM_PREWARM',
    value: 'on|off',
    meaning:
      'Import PyTorch at the start, so that the first training begins at once; off saves its memory until then. --idle-seconds frees it again',
    default: 'on',
  },
  'idle-seconds': {
    env: 'MEDLOOM_IDLE_SECONDS',
    value: 'seconds',
    meaning:
      'Time without work after which the processes that hold PyTorch ready for the next training and task end, which frees about 700 MB; the next one starts them again, within seconds. 0 keeps them',
    default: '900',
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
  'nodes-on': {
    env: 'MEDLOOM_NODES_ON',
    value: NODE_PLACES.join('|'),
    meaning: 'Where nodes of workflows are computed: on this machine, or on the Ray cluster of --ray-head',
    default: 'local',
  },
  'node-workers': {
    env: 'MEDLOOM_NODE_WORKERS',
    value: 'number',
    meaning: 'Nodes of workflows that a cluster computes at the same time',
    default: null,
    otherwise: 'one per CPU of the cluster that no training holds',
  },
  'ray-head': {
    env: 'MEDLOOM_RAY_HEAD',
    value: 'host:port',
    meaning:
      'Ray cluster that computes nodes of workflows, as ray start --address names it; this machine is one of it',
    default: null,
    otherwise: 'the cluster that this machine belongs to',
  },
  'ray-python': {
    env: 'MEDLOOM_RAY_PYTHON',
    value: 'file',
    meaning: 'Python interpreter of this machine that has Ray and the trainer',
    default: null,
    otherwise: 'the environment that medloom setup --ray makes',
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
    meaning:
      'Time without any activity, as on a file that never answers, after which a worker is ended; inspections, checks of trainings, previews and images are ended after 15 times as long in total, and 1 s more for each 128 KiB of what they read',
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
