import { existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { nearest } from '@medloom/contracts'
import { StartError } from './errors.js'
import { TRAINER_PYTHON } from './repository.js'
import { type Flag, type FlagWithDefault, LOG_LEVELS, type LogLevel, SERVICE_FLAGS } from './service-flags.js'

/** Settings of the service, complete. `medloom serve` reads them from flags and the environment. */
export interface Settings {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Absolute path of the folder of the database, runs, caches and logs. */
  readonly dataDir: string
  /** Absolute, real paths. Folders that requests may name; relative paths in requests start at the first. */
  readonly roots: readonly string[]
  /** Folder → name, of the roots that were given one: stored paths say the name. */
  readonly rootNames?: Readonly<Record<string, string>>
  /** Absolute path of the folder below which nodes write files; null: `outputs` in the data folder. */
  readonly outputRoot: string | null
  /** Absolute file that holds the token; required when host is not a loopback address. */
  readonly tokenFile: string | null
  /** Interpreter that has the trainer. */
  readonly python: string
  /** Training jobs at a time; null: one per accelerator, one on a CPU. */
  readonly maxJobs: number | null
  /** Whether the trainer does its imports at the start, not when the first job comes. */
  readonly prewarm: boolean
  /** Seconds that a stopped job gets to save its checkpoint before its process group is killed. */
  readonly stopGraceSeconds: number
  /** Seconds after which a cached result of a workflow node expires. */
  readonly cacheSeconds: number
  /** Absolute folder of custom nodes; null or absent: there are none. */
  readonly nodes?: string | null
  /** Bytes that one worker may take; null: it decides by the memory of the machine. */
  readonly workerMemory: number | null
  /** Seconds without activity after which a worker is ended. */
  readonly workerDeadlineSeconds?: number
  /** What all prepared images together may occupy: bytes, or a share of the disk that holds the data folder. */
  readonly imageCache: { readonly bytes: number } | { readonly share: number }
  /** Whether the command opens the page in the browser of this desktop. */
  readonly open?: boolean
  readonly logLevel: LogLevel
}

/** Bytes; with less, a worker cannot even start. */
const MIN_WORKER_MEMORY = 128 * 1024 * 1024

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
  const setting = (flag: FlagWithDefault): string => given(flag) ?? SERVICE_FLAGS[flag].default
  const rootList = flags.root ?? [env[SERVICE_FLAGS.root.env] || SERVICE_FLAGS.root.default]
  const outputRoot = given('output-root')
  const tokenFile = given('token-file')
  const maxJobs = given('max-jobs')
  const workerMemory = given('worker-memory')
  const nodes = given('nodes')
  return {
    host: readHost(setting('host')),
    port: readNumber('port', setting('port'), 0, 65_535),
    dataDir: resolve(cwd, setting('data-dir')),
    ...readRoots(rootList, cwd),
    outputRoot: outputRoot === undefined ? null : resolve(cwd, outputRoot),
    tokenFile: tokenFile === undefined ? null : resolve(cwd, tokenFile),
    python: readInterpreter(given('python'), cwd),
    maxJobs: maxJobs === undefined ? null : readNumber('max-jobs', maxJobs, 1, 1024),
    prewarm: readSwitch('prewarm', setting('prewarm')),
    stopGraceSeconds: readNumber('stop-grace', setting('stop-grace'), 0, 86_400),
    cacheSeconds: readNumber('cache-seconds', setting('cache-seconds'), 0, 10 * 365 * 86_400),
    nodes: nodes === undefined ? null : resolve(cwd, nodes),
    workerMemory:
      workerMemory === undefined
        ? null
        : readNumber('worker-memory', workerMemory, MIN_WORKER_MEMORY, 2 ** 50),
    workerDeadlineSeconds: readNumber('worker-deadline', setting('worker-deadline'), 1, 86_400),
    imageCache: readSize('image-cache', setting('image-cache')),
    open: readSwitch('open', setting('open')),
    logLevel: readLogLevel(setting('log-level')),
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

function readNumber(flag: Flag, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    throw new StartError(`--${flag} is "${text}"`, `Give a whole number from ${min} to ${max}.`)
  return value
}

function readSwitch(flag: Flag, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new StartError(`--${flag} is "${text}"`, 'Use on or off.')
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

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level) return level
  throw new StartError(`--log-level is "${text}"`, `Use one of ${LOG_LEVELS.join(', ')}.`)
}

function readRoots(lists: readonly string[], cwd: string): Pick<Settings, 'roots' | 'rootNames'> {
  const entries = new Set(lists.flatMap((list) => list.split(delimiter)).filter(Boolean))
  const roots = new Set<string>()
  const names = new Map<string, string>()
  for (const entry of entries) {
    const [, name, rest = entry] = isFolder(resolve(cwd, entry)) ? [] : (NAMED_ROOT.exec(entry) ?? [])
    const folder = realFolder(resolve(cwd, rest))
    roots.add(folder)
    if (name === undefined) continue
    if ([...names.values()].includes(name))
      throw new StartError(`--root gives the name "${name}" twice`, 'Give each root a name of its own.')
    names.set(folder, name)
  }
  return { roots: [...roots], ...(names.size > 0 ? { rootNames: Object.fromEntries(names) } : {}) }
}

function readHost(host: string): string {
  if (!/^[\w.:[\]-]+$/.test(host))
    throw new StartError(`--host is "${host}"`, 'Give a host name or an address.')
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** study=/data/study */
const NAMED_ROOT = /^([A-Za-z][\w-]*)=(.+)$/s

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function realFolder(folder: string): string {
  if (!isFolder(folder))
    throw new StartError(`--root names ${folder}, which is not a folder`, 'Name a folder that exists.')
  return realpathSync(folder)
}

/** A bare name is looked up in PATH by the system; anything with a separator is a file. */
function readInterpreter(given: string | undefined, cwd: string): string {
  if (given !== undefined) return given.includes('/') || given.includes(sep) ? resolve(cwd, given) : given
  return TRAINER_PYTHON
}
