import { existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LIMITS, nearest } from '@medloom/contracts'
import { StartError } from './errors.js'

/** Settings of the service, complete. `medloom serve` reads them from flags and the environment (api.md section 8). */
export interface Settings {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Absolute. Database, runs, caches and logs. */
  readonly dataDir: string
  /** Absolute, real paths. Folders that requests may name; relative paths in requests start at the first. */
  readonly roots: readonly string[]
  /** Absolute file that holds the token; required when host is not a loopback address. */
  readonly tokenFile: string | null
  /** Interpreter that has the trainer. */
  readonly python: string
  /** Training jobs at a time; null: one per accelerator, one on a CPU. */
  readonly maxJobs: number | null
  /** Seconds that a stopped job gets to save its checkpoint before its process group is killed. */
  readonly stopGraceSeconds: number
  /** Seconds after which a cached result of a workflow node expires. */
  readonly cacheSeconds: number
  /** Bytes that one worker may take; null: it decides by the memory of the machine. */
  readonly workerMemory: number | null
  /** What all prepared images together may occupy: bytes, or a share of the disk that holds the data folder. */
  readonly imageCache: { readonly bytes: number } | { readonly share: number }
  readonly logLevel: LogLevel
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const DEFAULT_IMAGE_CACHE = '20%'

/** Every flag of `medloom serve` with the environment variable of the same meaning. A flag wins over the environment. */
export const SERVICE_FLAGS = {
  host: { env: 'MEDLOOM_HOST', value: 'address', text: 'Address to listen on (127.0.0.1)' },
  port: { env: 'MEDLOOM_PORT', value: 'number', text: 'Port; 0 picks a free one and prints it (8000)' },
  'data-dir': {
    env: 'MEDLOOM_DATA_DIR',
    value: 'folder',
    text: 'Database, runs, caches, logs (./medloom-data)',
  },
  root: {
    env: 'MEDLOOM_ROOTS',
    value: 'folders',
    text: `Folders that requests may name, may be repeated or separated by "${delimiter}" (the current folder)`,
  },
  'token-file': {
    env: 'MEDLOOM_TOKEN_FILE',
    value: 'file',
    text: 'File with the token; needed when not on a loopback address',
  },
  python: {
    env: 'MEDLOOM_PYTHON',
    value: 'file',
    text: "Interpreter that has the trainer (the project's own environment)",
  },
  'max-jobs': {
    env: 'MEDLOOM_MAX_JOBS',
    value: 'number',
    text: 'Training jobs at a time (one per accelerator)',
  },
  'stop-grace': {
    env: 'MEDLOOM_STOP_GRACE',
    value: 'seconds',
    text: `Time a stopped job gets to save its checkpoint (${LIMITS.stop_grace_seconds})`,
  },
  'cache-seconds': {
    env: 'MEDLOOM_CACHE_SECONDS',
    value: 'seconds',
    text: `Time after which a cached result of a workflow expires (${LIMITS.cache_seconds}, 30 days)`,
  },
  'worker-memory': {
    env: 'MEDLOOM_WORKER_MEMORY',
    value: 'bytes',
    text: "Memory that one worker may take (three quarters of the machine's)",
  },
  'image-cache': {
    env: 'MEDLOOM_IMAGE_CACHE',
    value: 'size',
    text: `What all prepared images may occupy: 500MB, 20GB, or a share of the disk (${DEFAULT_IMAGE_CACHE})`,
  },
  'log-level': { env: 'MEDLOOM_LOG_LEVEL', value: 'level', text: `${LOG_LEVELS.join(', ')} (info)` },
} as const satisfies Record<string, { env: string; value: string; text: string }>
type Flag = keyof typeof SERVICE_FLAGS

/** Less would end every worker while it starts. */
const LEAST_WORKER_MEMORY = 128 * 1024 * 1024

/**
 * Settings from the arguments of `medloom serve` and the environment; what neither names has its default.
 * @throws StartError naming the flag that is wrong.
 */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd = process.cwd(),
): Settings {
  const flags = readFlags(argv)
  const given = (flag: Flag): string | undefined =>
    flags[flag]?.at(-1) ?? (env[SERVICE_FLAGS[flag].env] || undefined)
  const logLevel = given('log-level') ?? 'info'
  if (!LOG_LEVELS.includes(logLevel as LogLevel))
    throw new StartError(`--log-level is "${logLevel}"`, `Use one of ${LOG_LEVELS.join(', ')}.`)
  const rootLists =
    flags.root ?? (env[SERVICE_FLAGS.root.env] ? [String(env[SERVICE_FLAGS.root.env])] : [cwd])
  const tokenFile = given('token-file')
  return {
    host: readHost(given('host') ?? '127.0.0.1'),
    port: readNumber('port', given('port'), 0, 65_535) ?? 8000,
    dataDir: resolve(cwd, given('data-dir') ?? 'medloom-data'),
    roots: [...new Set(rootLists.flatMap((list) => list.split(delimiter)).filter(Boolean))].map((root) =>
      realFolder(resolve(cwd, root)),
    ),
    tokenFile: tokenFile === undefined ? null : resolve(cwd, tokenFile),
    python: readInterpreter(given('python'), cwd),
    maxJobs: readNumber('max-jobs', given('max-jobs'), 1, 1024) ?? null,
    stopGraceSeconds: readNumber('stop-grace', given('stop-grace'), 0, 86_400) ?? LIMITS.stop_grace_seconds,
    cacheSeconds:
      readNumber('cache-seconds', given('cache-seconds'), 0, 10 * 365 * 86_400) ?? LIMITS.cache_seconds,
    workerMemory: readNumber('worker-memory', given('worker-memory'), LEAST_WORKER_MEMORY, 2 ** 50) ?? null,
    imageCache: readSize('image-cache', given('image-cache') ?? DEFAULT_IMAGE_CACHE),
    logLevel: logLevel as LogLevel,
  }
}

function readFlags(argv: readonly string[]): Partial<Record<Flag, string[]>> {
  const names = Object.keys(SERVICE_FLAGS)
  for (const argument of argv) {
    const name = /^--([^=]+)/.exec(argument)?.[1]
    if (name === undefined || names.includes(name)) continue
    const guess = nearest(name, names)
    throw new StartError(
      `unknown flag --${name}`,
      guess ? `Did you mean --${guess}?` : `Known: ${names.map((known) => `--${known}`).join(', ')}.`,
    )
  }
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true }] as const)),
    })
    return values as Partial<Record<Flag, string[]>>
  } catch (error) {
    throw new StartError((error as Error).message, 'Every flag takes a value: --port 8123.')
  }
}

function readNumber(flag: Flag, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most))
    throw new StartError(`--${flag} is "${text}"`, `Give a whole number from ${least} to ${most}.`)
  return value
}

const UNITS: Record<string, number> = { '': 1, MB: 1e6, GB: 1e9, TB: 1e12 }

function readSize(flag: Flag, text: string): { bytes: number } | { share: number } {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(%|[MGT]B)?$/i.exec(text) ?? []
  const value = number === '' ? Number.NaN : Number(number)
  if (unit === '%' && value <= 100) return { share: value / 100 }
  const bytes = Math.round(value * (UNITS[unit.toUpperCase()] ?? Number.NaN))
  if (Number.isSafeInteger(bytes)) return { bytes }
  throw new StartError(
    `--${flag} is "${text}"`,
    'Give bytes, a size such as 500MB or 20GB, or a share such as 20%.',
  )
}

function readHost(host: string): string {
  if (!/^[\w.:[\]-]+$/.test(host))
    throw new StartError(`--host is "${host}"`, 'Give a host name or an address.')
  return host.replace(/^\[(.*)\]$/, '$1')
}

function realFolder(folder: string): string {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new StartError(`--root names ${folder}, which is not a folder`, 'Name a folder that exists.')
  return realpathSync(folder)
}

/** A bare name is looked up in PATH by the system; anything with a separator is a file. */
function readInterpreter(given: string | undefined, cwd: string): string {
  if (given !== undefined) return given.includes('/') || given.includes(sep) ? resolve(cwd, given) : given
  const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
  return process.platform === 'win32'
    ? join(repository, '.venv', 'Scripts', 'python.exe')
    : join(repository, '.venv', 'bin', 'python')
}
