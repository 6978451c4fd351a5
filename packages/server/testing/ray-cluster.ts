import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pythonIn, rayFolder } from '../../../scripts/setup/environment.mjs'
import { REPOSITORY } from '../src/repository.js'
import { freePorts } from './free-ports.js'
import { ancestorsOf, descendantsOf } from './processes.js'

export interface RayNode {
  readonly cpus: number
  /** Custom resources by which a test distinguishes nodes. */
  readonly resources?: Readonly<Record<string, number>>
  /** Environment of the programs on the node. */
  readonly env?: Readonly<Record<string, string>>
}

export interface RayClusterOptions {
  /** The first node is the head. */
  readonly nodes: readonly RayNode[]
  /** Starts the server of the Jobs interface, which takes seconds and half a gigabyte. */
  readonly dashboard?: boolean
  /** Location of its processes, and their address there; absent: the loopback interface of this machine. */
  readonly place?: { readonly prefix: readonly string[]; readonly address: string }
}

/** A separate cluster on this machine, with token authentication. */
export interface RayCluster {
  /** host:port in the format of `ray start --address` and `ray.init`. */
  readonly address: string
  /** The Jobs interface, http://127.0.0.1:port; null without `dashboard`. */
  readonly dashboard: string | null
  readonly tokenFile: string
  /** The Python interpreter with Ray and the trainer. */
  readonly python: string
  /** Environment variables that a process needs to connect. */
  readonly env: Readonly<Record<string, string>>
  /** The node is lost with everything that runs on it, like a failed machine. */
  killNode(index: number): Promise<void>
  /** Restarts a lost node, a head at the same address. */
  startNode(index: number): Promise<void>
  /** Index of the node to which a process of this machine belongs; -1: none. */
  nodeOf(pid: number): number
  close(): Promise<void>
}

/** The Python interpreter with Ray and the trainer; if there is none, prints the reason and returns undefined. */
export function testRay(): string | undefined {
  const python = pythonIn(rayFolder(REPOSITORY))
  if (existsSync(python)) return python
  console.warn(
    'tests with a Ray cluster are skipped: run "node scripts/setup.mjs --for ray" to make .venv-ray',
  )
  return undefined
}

/**
 * A head that does not start is started a second time: its port was free when it was chosen, and another process may have taken it since.
 * @returns once every node has joined.
 */
export async function startRayCluster(options: RayClusterOptions): Promise<RayCluster> {
  return startOnce(options).catch((error: Error) => {
    console.warn(`the Ray cluster is started once more: ${error.message.split('\n', 3).join(' ')}`)
    return startOnce(options)
  })
}

async function startOnce({
  nodes,
  dashboard = false,
  place = { prefix: [], address: '127.0.0.1' },
}: RayClusterOptions): Promise<RayCluster> {
  const folder = shortFolder()
  const [port, dashboardPort, clientPort] = await freePorts(3)
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, randomBytes(16).toString('hex'), { mode: 0o600 })
  const python = pythonIn(rayFolder(REPOSITORY))
  const env = environment(folder, tokenFile)
  const head = [
    ...['--head', `--port=${port}`, `--temp-dir=${folder}`, `--ray-client-server-port=${clientPort}`],
    // Without the autoscaler: a Python process that nothing here uses.
    '--no-monitor',
    ...(dashboard
      ? [`--dashboard-host=${place.address}`, `--dashboard-port=${dashboardPort}`]
      : ['--include-dashboard=false']),
  ]
  const running = new Map<number, ChildProcess>()
  let address = ''
  const launchNode = async (index: number) => {
    const { cpus, resources = {}, env: own = {} } = nodes[index] as RayNode
    const joined = index === 0 ? head : [`--address=${address}`]
    const child = start([...place.prefix, python], { ...env, ...own }, [
      ...joined,
      ...(place.prefix.length > 0 ? [`--node-ip-address=${place.address}`] : []),
      `--num-cpus=${cpus}`,
      `--resources=${JSON.stringify(resources)}`,
    ])
    running.set(index, child)
    const output = await joinedCluster(child)
    if (index === 0) address = /ray start --address='([^']+)'/.exec(output)?.[1] ?? address
  }
  const killNode = async (index: number) => {
    const child = running.get(index)
    running.delete(index)
    if (child) await killNodeProcesses(child)
  }
  /** A node that does not join is started a second time: `ray start` gives up if a single question to the head is not answered. */
  const startNode = (index: number) =>
    launchNode(index).catch(async (error: Error) => {
      if (index === 0) throw error
      await killNode(index)
      console.warn(`node ${index} of the Ray cluster is started once more: ${error.message}`)
      await launchNode(index)
    })
  const nodeOf = (pid: number) => {
    const ancestors = ancestorsOf(pid)
    return [...running].find(([, child]) => ancestors.includes(child.pid ?? 0))?.[0] ?? -1
  }
  const close = async () => {
    await Promise.all([...running.keys()].map(killNode))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  try {
    // Sequential: two nodes that join at the same time would use the same names in the folder of the cluster.
    for (const index of nodes.keys()) await startNode(index)
  } catch (error) {
    await close()
    throw error
  }
  return {
    address,
    dashboard: dashboard ? `http://${place.address}:${dashboardPort}` : null,
    tokenFile,
    python,
    env,
    killNode,
    startNode,
    nodeOf,
    close,
  }
}

/** Paths of Unix sockets have at most 107 bytes. */
function shortFolder(): string {
  const parent = tmpdir().length < 40 ? tmpdir() : '/tmp'
  return realpathSync(mkdtempSync(join(parent, 'ray-')))
}

function environment(folder: string, tokenFile: string): Record<string, string> {
  return {
    RAY_TMPDIR: folder,
    RAY_AUTH_MODE: 'token',
    RAY_AUTH_TOKEN_PATH: tokenFile,
    RAY_USAGE_STATS_ENABLED: '0',
    // No spare process per core when the first job begins: each of them imports Ray.
    RAY_prestart_worker_first_driver: '0',
    // The same as on the machine of a test service: exact results depend on it.
    OMP_NUM_THREADS: '1',
    // A lost node is detected in seconds: a refused connection counts at once, a slow one does not.
    RAY_health_check_period_ms: '500',
    // Other programs use the memory of this machine too; the programs of the tests must not be ended because of that.
    RAY_memory_monitor_refresh_ms: '0',
  }
}

/** The system chooses the ports of workers and agents, so that parallel clusters do not conflict. */
const OWN_PORTS = ['--min-worker-port=0', '--max-worker-port=0', '--dashboard-agent-listen-port=0']
const OBJECT_STORE_BYTES = 100_000_000

function start(
  [command = '', ...before]: readonly string[],
  env: Readonly<Record<string, string>>,
  flags: readonly string[],
): ChildProcess {
  const ray = [
    ...[...before, '-m', 'ray.scripts.scripts', 'start', ...flags, ...OWN_PORTS],
    ...['--block', '--disable-usage-stats'],
    ...['--include-log-monitor=false', `--object-store-memory=${OBJECT_STORE_BYTES}`],
  ]
  const child = spawn(command, ray, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group with everything of the node except its workers and their child processes.
    detached: true,
  })
  const killAtExit = () => void signalGroup(child)
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  return child
}

/** @returns its output until then */
function joinedCluster(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes('This command will now block')) done(output)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', fail)
    child.once('exit', (code) => fail(new Error(`ray start ended with ${code}:\n${output}`)))
  })
}

/** At once, whatever they do, like a failed machine. */
async function killNodeProcesses(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  const started = descendantsOf(child.pid ?? -1)
  signalGroup(child)
  for (const pid of started) signal(pid)
  await ended
}

function signalGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) signal(-pid)
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}
