import { existsSync, realpathSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { delimiter, isAbsolute, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { nearest } from '@medloom/contracts'
import { checkServerUrl } from './database/postgres/server-url.js'
import { StartError } from './errors.js'
import { EXCHANGE_NAMES, type ExchangeName } from './ports/exchange-names.js'
import { LAUNCHER_NAMES, type LauncherName } from './ports/launcher-names.js'
import { readMemory, readName, readOptions, readTime, type SlurmSettings } from './ports/slurm-settings.js'
import { RAY_PYTHON, TRAINER_PYTHON } from './repository.js'
import {
  type Flag,
  type FlagWithDefault,
  LOG_LEVELS,
  type LogLevel,
  NODE_PLACES,
  PROCESS_ROLES,
  type ProcessRole,
  SERVICE_FLAGS,
} from './service-flags.js'

/** Complete settings of the service. `medloom serve` reads them from flags and the environment. */
export interface Settings {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Absolute path of the folder of the database, runs, caches and logs. */
  readonly dataDir: string
  /** Address of a PostgreSQL database, possibly with a password: never shown; null or absent: a file in the data folder. */
  readonly databaseUrl?: string | null
  /** Role of the process; absent: everything. */
  readonly role?: ProcessRole
  /** Host at which other processes of the service reach this one; null or absent: that of `host`. */
  readonly internalAddress?: string | null
  /** Name of a lost machine, whose trainers count as gone. */
  readonly lostMachine?: string | null
  /** Absolute, real paths of folders that requests may name; relative paths in requests are resolved against the first. */
  readonly roots: readonly string[]
  /** Folder → name, for roots with a given name: stored paths contain the name. */
  readonly rootNames?: Readonly<Record<string, string>>
  /** Name of a root, or of the data folder → its path on the machines of a cluster. Absent: the same paths. */
  readonly siteRoots?: Readonly<Record<string, string>>
  /** Exchange of files between the service and its trainers. Absent: through a folder. */
  readonly exchange?: ExchangeName
  /** Address at which nodes reach the service over HTTP; null or absent: the address at which it listens. */
  readonly exchangeUrl?: string | null
  /** Size limit for training data on a node: bytes, or a share of its disk. */
  readonly nodeCache?: { readonly bytes: number } | { readonly share: number }
  /** Absolute path of the folder below which nodes write files; null: `outputs` in the data folder. */
  readonly outputRoot: string | null
  /** Absolute path of the file with the token; required when host is not a loopback address. */
  readonly tokenFile: string | null
  /** Names, in lower case, that the Host header may contain in addition to those of this machine. */
  readonly allowedHosts?: readonly string[]
  /** Addresses and networks of proxies whose X-Forwarded headers are trusted. */
  readonly trustedProxies?: readonly string[]
  /** Days after which entries of the audit log are removed. */
  readonly auditDays: number
  /** Days after which records and files of predictions are removed; 0: no records; absent: the default. */
  readonly predictionDays?: number
  /** Python interpreter with the trainer. */
  readonly python: string
  /** Launcher of trainings; absent: this machine. */
  readonly launcher?: LauncherName
  /** Address of the dashboard of the Ray cluster, such as http://10.0.0.1:8265. */
  readonly rayAddress?: string
  /** Absolute path of the file with the token of the Ray cluster; absent: it requires none. */
  readonly rayTokenFile?: string
  /** Python interpreter with the trainer on the nodes of the cluster; absent: `python`. */
  readonly clusterPython?: string
  /** Settings of the launcher for Slurm. */
  readonly slurm?: SlurmSettings
  /** Maximum number of parallel training jobs; null: one per accelerator, one on a CPU. */
  readonly maxJobs: number | null
  /** Maximum number of waiting training jobs; another one is refused with QUEUE_FULL. */
  readonly maxQueued: number
  /** Maximum number of WebSocket connections per caller; absent: the default. */
  readonly maxSockets?: number
  /** True if the trainer runs its imports at the start, not when the first job arrives. */
  readonly prewarm: boolean
  /** Seconds without work after which processes that keep PyTorch loaded end; 0 or absent: never. */
  readonly idleSeconds?: number
  /** Seconds that a stopped job gets to save its checkpoint before its process group is killed. */
  readonly stopGraceSeconds: number
  /** Seconds after which a cached result of a workflow node expires. */
  readonly cacheSeconds: number
  /** Absolute path of the folder of custom nodes; null or absent: there are none. */
  readonly nodes?: string | null
  /** The cluster that computes nodes of workflows; absent: this machine computes them. */
  readonly nodesOn?: NodesOnCluster
  /** Memory limit of one worker in bytes; null: it decides by the memory of the machine. */
  readonly workerMemory: number | null
  /** Seconds without activity after which a worker is ended. */
  readonly workerDeadlineSeconds?: number
  /** Size limit of all prepared images together: bytes, or a share of the disk with the data folder. */
  readonly imageCache: { readonly bytes: number } | { readonly share: number }
  /** True if the command opens the page in the browser of this desktop. */
  readonly open?: boolean
  readonly logLevel: LogLevel
}

export interface NodesOnCluster {
  /** host:port of the head, or auto: the cluster to which this machine belongs. */
  readonly address: string
  /** Python interpreter of this machine with Ray and the trainer. */
  readonly python: string
  /** Maximum number of parallel nodes; null: one per CPU of the cluster. */
  readonly workers: number | null
  /** File with the token of the cluster; null: it requires none, or RAY_AUTH_TOKEN_PATH names it. */
  readonly tokenFile: string | null
  /** Python interpreter on the nodes with the trainer. */
  readonly nodePython: string
  /** Time for which nodes wait for an unreachable cluster; for tests. */
  readonly patienceSeconds?: number
}

/** Bytes; with less, a worker cannot start. */
const MIN_WORKER_MEMORY = 128 * 1024 * 1024
/** The number that was measured (docs/scale.md). */
const MAX_QUEUED = 100_000
const MAX_SOCKETS = 100_000

/**
 * Settings from the arguments of `medloom serve` and the environment; missing ones get their defaults.
 * @throws StartError naming the invalid flag.
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
  const readList = (flag: Flag, isValid: (entry: string) => boolean, remedy: string): string[] => {
    const lists = flags[flag] ?? [env[SERVICE_FLAGS[flag].env] ?? '']
    const entries = lists.flatMap((list) => list.split(',').map((entry) => entry.trim())).filter(Boolean)
    const wrong = entries.find((entry) => !isValid(entry))
    if (wrong !== undefined) throw new StartError(`--${flag} contains "${wrong}"`, remedy)
    return entries
  }
  const rootList = flags.root ?? [env[SERVICE_FLAGS.root.env] || SERVICE_FLAGS.root.default]
  const outputRoot = given('output-root')
  const internalAddress = given('internal-address')
  const tokenFile = given('token-file')
  const maxJobs = given('max-jobs')
  const workerMemory = readWorkerMemory(given('worker-memory'))
  const nodes = given('nodes')
  const exchange = readExchange(setting('exchange'), given('exchange-url'))
  return {
    host: readHost(setting('host')),
    port: readNumber('port', setting('port'), 0, 65_535),
    dataDir: resolve(cwd, setting('data-dir')),
    databaseUrl: readDatabaseUrl(given('database-url')),
    role: readOneOf('role', setting('role'), PROCESS_ROLES),
    lostMachine: given('lost-machine') ?? null,
    internalAddress: internalAddress === undefined ? null : readHost(internalAddress, 'internal-address'),
    ...readRoots(rootList, cwd),
    ...readSiteRoots(flags['site-root'] ?? [env[SERVICE_FLAGS['site-root'].env] ?? '']),
    ...exchange,
    nodeCache: readSize('node-cache', setting('node-cache')),
    outputRoot: outputRoot === undefined ? null : resolve(cwd, outputRoot),
    tokenFile: tokenFile === undefined ? null : resolve(cwd, tokenFile),
    allowedHosts: [
      ...readList('allowed-host', isHostName, 'Use host names such as medloom.example.org.'),
      ...(exchange.exchangeUrl ? [new URL(exchange.exchangeUrl).hostname] : []),
    ].map((name) => name.toLowerCase()),
    trustedProxies: readList('trusted-proxy', isNetwork, 'Use addresses such as 10.0.0.7 or 10.0.0.0/24.'),
    auditDays: readNumber('audit-days', setting('audit-days'), 1, 36_500),
    predictionDays: readNumber('prediction-days', setting('prediction-days'), 0, 36_500),
    python: readInterpreter(given('python'), cwd),
    launcher: readOneOf('launcher', setting('launcher'), LAUNCHER_NAMES),
    ...readCluster(given, cwd),
    slurm: readSlurm(given, setting),
    maxJobs: maxJobs === undefined ? null : readNumber('max-jobs', maxJobs, 1, 1024),
    maxQueued: readNumber('max-queued', setting('max-queued'), 1, MAX_QUEUED),
    maxSockets: readNumber('max-sockets', setting('max-sockets'), 1, MAX_SOCKETS),
    prewarm: readSwitch('prewarm', setting('prewarm')),
    idleSeconds: readNumber('idle-seconds', setting('idle-seconds'), 0, 30 * 86_400),
    stopGraceSeconds: readNumber('stop-grace', setting('stop-grace'), 0, 86_400),
    cacheSeconds: readNumber('cache-seconds', setting('cache-seconds'), 0, 10 * 365 * 86_400),
    nodes: nodes === undefined ? null : resolve(cwd, nodes),
    ...(readOneOf('nodes-on', setting('nodes-on'), NODE_PLACES) === 'ray'
      ? { nodesOn: readNodesOn(given, cwd) }
      : {}),
    workerMemory,
    workerDeadlineSeconds: readNumber('worker-deadline', setting('worker-deadline'), 1, 86_400),
    imageCache: readSize('image-cache', setting('image-cache')),
    open: readSwitch('open', setting('open')),
    logLevel: readOneOf('log-level', setting('log-level'), LOG_LEVELS),
  }
}

function readWorkerMemory(bytes: string | undefined): number | null {
  return bytes === undefined ? null : readNumber('worker-memory', bytes, MIN_WORKER_MEMORY, 2 ** 50)
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
    throw new StartError((error as Error).message, 'Every flag requires a value, such as --port 8123.')
  }
}

function readDatabaseUrl(url: string | undefined): string | null {
  if (url === undefined) return null
  checkServerUrl(url)
  return url
}

function readSlurm(
  given: (flag: Flag) => string | undefined,
  setting: (flag: FlagWithDefault) => string,
): SlurmSettings {
  return {
    partition: readName('slurm-partition', given('slurm-partition')),
    account: readName('slurm-account', given('slurm-account')),
    qos: readName('slurm-qos', given('slurm-qos')),
    time: readTime(given('slurm-time')),
    memory: readMemory(given('slurm-memory')),
    graceSeconds: readNumber('slurm-grace', setting('slurm-grace'), 1, 65_535),
    options: readOptions(given('slurm-options')),
    pollSeconds: readNumber('slurm-poll', setting('slurm-poll'), 1, 3600),
  }
}

function readCluster(
  given: (flag: Flag) => string | undefined,
  cwd: string,
): Pick<Settings, 'rayAddress' | 'rayTokenFile' | 'clusterPython'> {
  const address = given('ray-address')
  const tokenFile = given('ray-token-file')
  const python = given('cluster-python')
  return {
    ...(address === undefined ? {} : { rayAddress: readAddress('ray-address', address) }),
    ...(tokenFile === undefined ? {} : { rayTokenFile: resolve(cwd, tokenFile) }),
    ...(python === undefined ? {} : { clusterPython: python }),
  }
}

/** http://10.0.0.1:8265, or without http:// as Ray prints it. */
function readAddress(flag: Flag, text: string): string {
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (URL.canParse(address) && new URL(address).pathname === '/') return new URL(address).origin
  throw new StartError(`--${flag} is "${text}"`, 'Use an address such as http://10.0.0.1:8265.')
}

function readNumber(flag: Flag, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    throw new StartError(`--${flag} is "${text}"`, `Use an integer from ${min} to ${max}.`)
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
    'Use bytes, a size such as 500MB or 20GB, or a share such as 20%.',
  )
}

function readOneOf<Choice extends string>(flag: Flag, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new StartError(`--${flag} is "${text}"`, `Use one of ${choices.join(', ')}.`)
}

function readNodesOn(given: (flag: Flag) => string | undefined, cwd: string): NodesOnCluster {
  const workers = given('node-workers')
  const tokenFile = given('ray-token-file')
  const address = given('ray-head') ?? 'auto'
  if (address !== 'auto' && !/^[^/\s]+:\d+$/.test(address))
    throw new StartError(`--ray-head is "${address}"`, 'Use host:port, as for ray start --address.')
  return {
    address,
    python: readInterpreter(given('ray-python'), cwd, RAY_PYTHON),
    workers: workers === undefined ? null : readNumber('node-workers', workers, 1, 65_536),
    tokenFile: tokenFile === undefined ? null : resolve(cwd, tokenFile),
    nodePython: given('cluster-python') ?? readInterpreter(given('python'), cwd),
  }
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
      throw new StartError(`--root uses the name "${name}" twice`, 'Give each root a unique name.')
    names.set(folder, name)
  }
  return { roots: [...roots], ...(names.size > 0 ? { rootNames: Object.fromEntries(names) } : {}) }
}

function readSiteRoots(lists: readonly string[]): Pick<Settings, 'siteRoots'> {
  const entries = lists.flatMap((list) => list.split(delimiter)).filter(Boolean)
  const roots = new Map<string, string>()
  for (const entry of entries) {
    const [, name = '', folder = ''] = /^(@?[^=]+)=(.+)$/s.exec(entry) ?? []
    if (!isAbsolute(folder) || roots.has(name))
      throw new StartError(
        `--site-root is "${entry}"`,
        'Set each root once, with its absolute path on the nodes, such as study=/mnt/study.',
      )
    roots.set(name, folder)
  }
  return roots.size > 0 ? { siteRoots: Object.fromEntries(roots) } : {}
}

function readExchange(
  name: string,
  url: string | undefined,
): Required<Pick<Settings, 'exchange' | 'exchangeUrl'>> {
  const exchange = readOneOf('exchange', name, EXCHANGE_NAMES)
  if (url === undefined) return { exchange, exchangeUrl: null }
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(url) || !URL.canParse(url))
    throw new StartError(
      `--exchange-url is "${url}"`,
      'Use an address such as https://medloom.example.org:8443.',
    )
  return { exchange, exchangeUrl: url.replace(/\/+$/, '') }
}

function readHost(host: string, flag: Flag = 'host'): string {
  if (!/^[\w.:[\]-]+$/.test(host))
    throw new StartError(`--${flag} is "${host}"`, 'Use a host name or an address.')
  return host.replace(/^\[(.*)\]$/, '$1')
}

function isHostName(text: string): boolean {
  return /^[\w-]+(\.[\w-]+)*$/.test(text)
}

/** An address, or a network as address/bits. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const length = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return Number(bits ?? 0) <= length
}

/** study=/data/study */
const NAMED_ROOT = /^([A-Za-z][\w-]*)=(.+)$/s

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function realFolder(folder: string): string {
  if (!isFolder(folder))
    throw new StartError(`--root contains ${folder}, which is not a folder`, 'Use an existing folder.')
  return realpathSync(folder)
}

/** A bare name is looked up in PATH by the system; anything with a separator is a file. */
function readInterpreter(given: string | undefined, cwd: string, otherwise = TRAINER_PYTHON): string {
  if (given !== undefined) return given.includes('/') || given.includes(sep) ? resolve(cwd, given) : given
  return otherwise
}
