import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../packages/server/testing/free-ports.js'
import { PostgresCluster } from '../../../packages/server/testing/postgres-cluster.js'
import { executeStatement } from '../../../packages/server/testing/postgres-server.js'
import { processesWith } from '../../../packages/server/testing/processes.js'
import {
  type RayCluster,
  type RayNode,
  startRayCluster,
} from '../../../packages/server/testing/ray-cluster.js'
import { registerCleanup } from '../../testing/cleanup.js'
import { Caller } from '../../testing/http.js'
import { type StartedService, spawnService, temporaryFolder } from '../../testing/service.js'
import { SmallDisk } from '../../testing/small-disk.js'
import { Partition } from './partition.js'

export interface DeploymentOptions {
  /** Folder of the dataset. */
  readonly dataset: string
  /** Place where trainings run. */
  readonly on: 'local' | 'ray'
  /** Workflow nodes are computed by the Ray cluster, too. */
  readonly nodesOnRay?: boolean
  /** The Ray nodes share no folder with the service, and LAST_NODE stores its files on its own disk of this size in MB. */
  readonly nodeDisk?: number
  /** Ray does not spill its object stores to disk, so that they can be full. */
  readonly noSpilling?: boolean
  /** The Ray cluster is in a separate network namespace, connected by one link. */
  readonly apart?: boolean
  /** Library that gives the controllers a clock controlled by `setClock`. */
  readonly fakeTime?: string | undefined
}

/** Deployment that `npm run soak:cluster` breaks: a database server, two API processes, two controllers, and optionally a Ray cluster. */
export class Deployment {
  readonly dataDir = temporaryFolder('soak-cluster')
  readonly #clockFile = join(temporaryFolder('soak-clock'), 'offset')
  readonly apis: StartedService[] = []
  readonly controllers: StartedService[] = []
  #addresses: string[] = []
  /** Ports of each API process, also after a restart: nodes reach the service at the first one. */
  #ports: readonly number[] = []
  /** Addresses of the controllers that have become active. */
  readonly #urls = new Map<StartedService, string>()

  private constructor(
    readonly options: DeploymentOptions,
    readonly postgres: PostgresCluster,
    readonly ray: RayCluster | null,
    readonly network: Partition | null,
    readonly disk: SmallDisk | null,
  ) {}

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const postgres = await PostgresCluster.create()
    const unregister = registerCleanup(() => void postgres.remove())
    await executeStatement('CREATE DATABASE medloom', postgres.url())
    const network = options.apart ? new Partition() : null
    const place = network ? { place: { prefix: network.prefix, address: network.inside } } : {}
    const disk = options.nodeDisk ? new SmallDisk(temporaryFolder('node-disk'), options.nodeDisk) : null
    const nodes = disk ? onDisks(disk) : options.noSpilling ? withoutSpilling() : NODES
    const ray = options.on === 'ray' ? await startRayCluster({ nodes, dashboard: true, ...place }) : null
    const deployment = new Deployment(options, postgres, ray, network, disk)
    deployment.#unregister = unregister
    deployment.#ports = [await freePort(), await freePort()]
    deployment.setClock('+0')
    deployment.startController()
    await deployment.controllers[0]?.ready
    deployment.startController()
    for (let index = 0; index < 2; index++) await deployment.startApi(index)
    return deployment
  }

  #unregister: () => void = () => undefined

  get databaseUrl(): string {
    return this.postgres.url('medloom')
  }

  /** Starts a controller that waits until there is no other. */
  startController(): StartedService {
    const started = this.#spawn('controller', this.#clock())
    this.controllers.push(started)
    started.ready.then(({ url }) => this.#urls.set(started, url)).catch(() => undefined)
    return started
  }

  async startApi(index: number): Promise<void> {
    const started = this.#spawn('api', {}, ['--port', String(this.#ports[index])])
    this.apis[index] = started
    this.#addresses[index] = (await started.ready).url
  }

  api(index: number): Caller {
    return new Caller(this.#addresses[index] ?? '')
  }

  /** The active controller process. */
  async controller(): Promise<StartedService> {
    const address = await this.controllerAddress()
    const found = this.controllers.find((started) => this.#urls.get(started) === address)
    if (found) return found
    throw new Error(`no process of this deployment listens at ${address}`)
  }

  async controllerAddress(): Promise<string | null> {
    const [row] = await this.select<{ address: string | null }>(
      'SELECT address FROM controllers ORDER BY fence DESC LIMIT 1',
    )
    return row?.address ?? null
  }

  async fence(): Promise<number> {
    const [row] = await this.select<{ fence: string }>('SELECT max(fence) AS fence FROM controllers')
    return Number(row?.fence ?? 0)
  }

  /** A node and everything that runs on it are lost, and the node returns after 5 s. */
  async loseNode(index: number): Promise<void> {
    await this.ray?.killNode(index)
    await delay(NODE_AWAY_MILLISECONDS)
    await this.ray?.startNode(index)
  }

  /** The head and all nodes are lost, and return after a short time. */
  async loseCluster(): Promise<void> {
    for (const index of NODES.keys()) await this.ray?.killNode(index)
    await delay(HEAD_AWAY_MILLISECONDS)
    for (const index of NODES.keys()) await this.ray?.startNode(index)
  }

  /** Index of the Ray node that runs the training with its run directory in that folder. */
  nodeOfTraining(folder: string): number {
    const nodes = processesWith(folder).map(({ pid }) => this.ray?.nodeOf(pid) ?? -1)
    const index = nodes.find((node) => node > 0)
    if (index === undefined) throw new Error(`nothing on the cluster works in ${folder}`)
    return index
  }

  select<Row extends object>(statement: string): Promise<Row[]> {
    return executeStatement<Row>(statement, this.databaseUrl)
  }

  /** @param offset such as +1d, relative to the clock of the machine */
  setClock(offset: string): void {
    writeFileSync(this.#clockFile, offset)
  }

  #clock(): Record<string, string> {
    const { fakeTime } = this.options
    if (fakeTime === undefined) return {}
    return {
      LD_PRELOAD: fakeTime,
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_CACHE_DURATION: '1',
      // Only the wall clock jumps: the monotonic clock never does.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.apis, ...this.controllers].map((started) => started.kill()))
    await this.ray?.close()
    this.network?.remove()
    this.disk?.remove()
    await this.postgres.remove()
    this.#unregister()
  }

  #spawn(
    role: 'api' | 'controller',
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ): StartedService {
    const { dataset } = this.options
    return spawnService({
      roots: [dirname(dataset)],
      dataDir: this.dataDir,
      prewarm: role === 'controller',
      arguments: ['--role', role, ...this.#cluster(), ...flags],
      env: { MEDLOOM_DATABASE_URL: this.databaseUrl, ...env },
    })
  }

  #cluster(): string[] {
    if (!this.ray) return []
    const { address, dashboard, tokenFile, python } = this.ray
    const { nodesOnRay } = this.options
    return [
      ...['--launcher', 'ray', '--ray-address', String(dashboard), '--ray-token-file', tokenFile],
      ...['--cluster-python', python],
      ...(nodesOnRay ? ['--nodes-on', 'ray', '--ray-head', address, '--ray-python', python] : []),
      ...(this.disk ? ['--exchange', 'http', '--exchange-url', `http://127.0.0.1:${this.#ports[0]}`] : []),
    ]
  }
}

const NODE_AWAY_MILLISECONDS = 5000
const HEAD_AWAY_MILLISECONDS = 2000

/** The head computes nothing, so that the loss of a node does not affect it. Only the last node fits tasks with three cores. */
const NODES: readonly RayNode[] = [{ cpus: 0 }, { cpus: 2 }, { cpus: 3 }]
export const LAST_NODE = NODES.length - 1

/** Ray treats a disk as full above this usage. */
function withoutSpilling(): RayNode[] {
  return NODES.map((node) => ({ ...node, env: { RAY_local_fs_capacity_threshold: '0.001' } }))
}

/** Every node has a separate folder for its files; that of the last one is on this disk. */
function onDisks(disk: SmallDisk): RayNode[] {
  return NODES.map((node, index) => ({
    ...node,
    env: { MEDLOOM_NODE_CACHE: index === LAST_NODE ? join(disk.folder, 'node') : temporaryFolder('node') },
  }))
}
