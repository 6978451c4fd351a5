import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, openDatabase } from '../../packages/server/src/database/database.js'
import { temporaryFolder } from '../../tests/testing/service.js'
import type { ApiClientsOrder, ApiClientsReport, RequestLoad } from './api-clients.js'
import { checkEvents, storedEvents } from './check.js'
import { type Figure, quantile } from './figures.js'
import { fsyncsPerSecond } from './peers.js'
import { Helper } from './processes.js'
import { configOf, type Seeded, type Size, seed } from './seed.js'
import type {
  ServiceProcessOrder,
  ServiceProcessUsage,
  ServiceReport,
  ServiceRequest,
} from './service-process.js'
import type { SocketClientsOrder, SocketClientsReport } from './socket-clients.js'
import { postgresStore, type Store, sqliteStore } from './stores.js'
import type { TrainersOrder, TrainersReport } from './trainers.js'

export const PARTS = ['accept', 'status', 'schedule', 'ingest', 'sockets'] as const
export type Part = (typeof PARTS)[number]

export interface Scenario extends Size {
  readonly parts: readonly Part[]
  readonly seconds: number
  readonly eventsPerSecond: number
  readonly sockets: number
  readonly clients: number
  /** Number of API processes that serve clients and sockets next to one controller, on PostgreSQL; 0: one process does everything. */
  readonly apiProcesses: number
}

/** Share of all clients: each requests a status once a second, and one in ten starts a training. */
const ACCEPT_SHARE = 0.1
const BURST_EVENTS = 100_000
/** Corresponds to a thousand trainings of an hour each. */
const ENDS_PER_SECOND = 0.25
const LOOK_MILLISECONDS = 100
/**
 * Load before the measurement: clients connect, and each code path runs, including the end of a training, whose report loads additional code.
 * This measures a service that has run for some time.
 */
const WARM_UP_SECONDS = 8
/** Time after the load until all of it is stored. */
const DRAIN_SECONDS = 120

/** Capacity of one service, and whether it stored every event. */
export async function measureService(scenario: Scenario, server: string | null): Promise<Figure[]> {
  const [dataDir, root] = [temporaryFolder('scale-data'), temporaryFolder('scale')]
  const store = server === null ? sqliteStore(dataDir) : await postgresStore(server)
  const { apiProcesses } = scenario
  console.log(apiProcesses > 0 ? `${store.name}, a controller and ${apiProcesses} API processes` : store.name)
  const database = await openDatabase(store.place)
  try {
    const seeded = await timed('seeded', () => seed(database, dataDir, root, scenario))
    const run = new Run({ scenario, database, store, dataDir, root, seeded })
    try {
      return await run.measure()
    } finally {
      await run.close()
    }
  } finally {
    await database.destroy()
    await store.remove()
    for (const folder of [dataDir, root]) rmSync(folder, { recursive: true, force: true })
  }
}

type Service = Helper<ServiceRequest, ServiceReport>
type Followers = Helper<'reset' | 'report' | 'end', SocketClientsReport>

interface RunOptions {
  readonly scenario: Scenario
  readonly database: Database
  readonly store: Store
  readonly dataDir: string
  readonly root: string
  readonly seeded: Seeded
}

class Run {
  readonly #figures: Figure[] = []
  readonly #helpers: Helper<never, unknown>[] = []
  /** The first one follows the trainings. */
  readonly #services: readonly Service[]
  readonly #trainers: Helper<TrainersOrder, TrainersReport>
  /** Addresses of the processes that clients use. */
  #addresses: readonly string[] = []
  #began = performance.now()

  constructor(private readonly options: RunOptions) {
    const { dataDir, root, scenario, store } = options
    const settings = ['--port', '0', '--data-dir', dataDir, '--root', root, '--prewarm', 'off']
    const limits = [
      '--max-sockets',
      '100000',
      '--max-queued',
      String(Math.min(100_000, scenario.queued + 10_000)),
      '--log-level',
      'error',
    ]
    const roles =
      scenario.apiProcesses > 0 ? ['controller', ...Array(scenario.apiProcesses).fill('api')] : ['all']
    this.#services = roles.map((role): Service => {
      const order: ServiceProcessOrder = {
        arguments: [...settings, ...limits, ...store.arguments, '--role', role],
        maxJobs: scenario.running,
      }
      return this.#helper('service-process.ts', order, unitOptions())
    })
    this.#trainers = this.#helper('trainers.ts')
  }

  async measure(): Promise<Figure[]> {
    const { seeded, scenario } = this.options
    await timed('started', () => this.#start())
    await this.#trainers.request({ kind: 'attach', trainers: seeded.running })
    if (scenario.parts.includes('ingest')) await timed('stored what waited', () => this.#burst())
    const sockets = scenario.parts.includes('sockets') ? await timed('connected', () => this.#follow()) : null
    await timed('loaded', () => this.#load(sockets))
    await timed('checked', () => this.#checkAll())
    return this.#figures
  }

  async close(): Promise<void> {
    for (const service of [...this.#services].reverse()) await service.end({ kind: 'close' })
    for (const helper of this.#helpers) await helper.end()
  }

  #helper<Order extends object | string, Report>(
    file: string,
    argument?: object,
    options?: readonly string[],
  ): Helper<Order, Report> {
    const helper = new Helper<Order, Report>(file, argument, options)
    this.#helpers.push(helper as unknown as Helper<never, unknown>)
    return helper
  }

  async #start(): Promise<void> {
    this.#began = performance.now()
    const ready = await Promise.all(
      this.#services.map((service) => service.next(({ kind }) => kind === 'ready')),
    )
    const addresses = ready.flatMap((report) => (report.kind === 'ready' ? [report.address] : []))
    this.#addresses = addresses.length > 1 ? addresses.slice(1) : addresses
    this.#add('start of the service with all jobs', (performance.now() - this.#began) / 1000, 's')
    // A started job gets its simulated trainer.
    this.#services[0]?.process.on('message', (report: ServiceReport) => {
      if (report.kind !== 'begin') return
      const place = { id: report.id, run: dirname(report.spec), attempt: report.attempt }
      this.#trainers.send({ kind: 'attach', trainers: [place] })
    })
  }

  /** Simulates the end of an hour-long network failure: measures how fast the written events are stored. */
  async #burst(): Promise<void> {
    const { seeded, store } = this.options
    const each = Math.max(1, Math.round(BURST_EVENTS / seeded.running.length))
    const count = each * seeded.running.length
    const before = await this.#usage()
    const began = performance.now()
    await this.#trainers.request({ kind: 'burst', count: each })
    const wrote = performance.now()
    await this.#untilStored(count)
    const seconds = (performance.now() - began) / 1000
    const { cpuSeconds } = await this.#usage()
    this.#figures.push({
      what: `ingest of ${count} events that wait (${each} of each job)`,
      value: count / seconds,
      unit: 'events/s',
      limit: { at: 'least', value: 5000 },
      peer: { name: `bare ${store.name} rows`, value: await store.bareRowsPerSecond() },
    })
    this.#add('  of this, writing', (wrote - began) / 1000, 's')
    this.#add('  cores of the service', (cpuSeconds - before.cpuSeconds) / seconds, 'cores')
  }

  /** All kinds of load at once. */
  async #load(sockets: Followers | null): Promise<void> {
    const { scenario, seeded } = this.options
    const { parts, seconds, eventsPerSecond } = scenario
    await this.#trainers.request({ kind: 'rate', perSecond: eventsPerSecond })
    const ends = parts.includes('schedule') ? this.#endSome() : null
    const pending = this.#requestReport()
    await delay(WARM_UP_SECONDS * 1000)
    const before = await this.#usage()
    const wrote = await this.#written()
    const began = performance.now()
    sockets?.send('reset')
    const report = await pending
    await delay(Math.max(0, began + seconds * 1000 - performance.now()))
    await ends
    const took = (performance.now() - began) / 1000
    const after = await this.#usage()
    const total = (await this.#written()) - wrote
    await this.#trainers.request({ kind: 'rate', perSecond: 0 })
    const stopped = performance.now()
    await this.#untilStored(seeded.running.length > 0 ? await this.#written() : 0)
    const lag = (performance.now() - stopped) / 1000
    if (parts.includes('ingest')) {
      const least = 0.98 * scenario.running * eventsPerSecond
      const limit = { at: 'least', value: least } as const
      this.#figures.push({
        what: 'events written under load',
        value: total / took,
        unit: 'events/s',
        limit,
      })
      this.#figures.push({
        what: 'until the last event is stored',
        value: lag,
        unit: 's',
        limit: { at: 'most', value: 2 },
      })
    }
    this.#addRequests(report)
    if (sockets) await this.#addSockets(sockets, took)
    this.#addRefills(after)
    this.#add('cores of the service under load', (after.cpuSeconds - before.cpuSeconds) / took, 'cores')
    this.#add('event loop delay, p99', after.delayP99, 'ms')
    this.#add('event loop delay, maximum', after.delayMax, 'ms')
    this.#figures.push({
      what: 'memory of the service, resident',
      value: after.residentBytes / 2 ** 20,
      unit: 'MiB',
      limit: { at: 'most', value: 1024 * this.#services.length },
    })
  }

  async #follow(): Promise<Followers> {
    const { scenario, seeded } = this.options
    const jobs = Array.from(
      { length: scenario.sockets },
      (_, index) => seeded.running[index % seeded.running.length]?.jobId ?? '',
    )
    const order: SocketClientsOrder = { urls: this.#addresses, jobs }
    const helper: Followers = this.#helper('socket-clients.ts', order)
    await helper.next()
    return helper
  }

  /** Trainings complete one after the other, and queued ones take their slots. */
  async #endSome(): Promise<void> {
    const { running } = this.options.seeded
    for (const { id } of running.slice(-this.#ends)) {
      await this.#trainers.request({ kind: 'end', id }, ({ kind }) => kind === 'ended')
      this.#services[0]?.send({ kind: 'end', id })
      await delay(1000 / ENDS_PER_SECOND)
    }
  }

  /** Number of trainings that end, the last ones. */
  get #ends(): number {
    return Math.ceil((WARM_UP_SECONDS + this.options.scenario.seconds) * ENDS_PER_SECOND)
  }

  async #requestReport(): Promise<ApiClientsReport> {
    const { scenario, seeded, root } = this.options
    const { parts, clients, seconds } = scenario
    const status = (ids: readonly string[]) => ids.map((id) => `/api/training/${id}/status`)
    const loads: RequestLoad[] = []
    if (parts.includes('status')) {
      const running = seeded.running.slice(0, -this.#ends).map(({ jobId }) => jobId)
      loads.push({ name: 'status of a running job', perSecond: clients / 2, paths: status(running) })
      loads.push({
        name: 'status of a waiting job',
        perSecond: clients / 2,
        paths: status(seeded.waiting),
      })
    }
    if (parts.includes('accept')) {
      const body = { config: configOf(join(root, 'train.csv')), job_name: 'accepted' }
      const paths = ['/api/training/start']
      loads.push({ name: 'accept', perSecond: clients * ACCEPT_SHARE, paths, body })
    }
    if (loads.length === 0) return {}
    const [urls, warmUpSeconds] = [this.#addresses, WARM_UP_SECONDS]
    const order: ApiClientsOrder = { urls, clients, warmUpSeconds, seconds, loads }
    return this.#helper<never, ApiClientsReport>('api-clients.ts', order).next()
  }

  #addRequests(report: ApiClientsReport): void {
    const { dataDir } = this.options
    for (const [name, { times, failed }] of Object.entries(report)) {
      const most = name === 'accept' ? 100 : 50
      this.#add(`${name}, p50`, quantile(times, 0.5), 'ms')
      this.#figures.push({
        what: `${name}, p99 of ${times.length}`,
        value: quantile(times, 0.99),
        unit: 'ms',
        limit: { at: 'most', value: most },
        ...(name === 'accept' ? { peer: { name: 'one fsync', value: 1000 / fsyncsPerSecond(dataDir) } } : {}),
      })
      if (failed > 0) this.#none(`${name}: failed`, failed)
    }
  }

  async #addSockets(sockets: Followers, seconds: number): Promise<void> {
    const report = await sockets.request('report')
    sockets.send('end')
    this.#add(`messages to ${report.connected} sockets`, report.delivered / seconds, 'messages/s')
    this.#add('  from the event to the socket, p50', quantile(report.latencies, 0.5), 'ms')
    this.#add('  from the event to the socket, p99', quantile(report.latencies, 0.99), 'ms')
    this.#add('  progress messages skipped for slow sockets', report.progressSkipped, 'messages')
    this.#none('  stored messages missed by a socket', report.keptMissed)
    this.#none('  duplicate or unordered messages', report.disordered)
  }

  #addRefills({ refills }: ServiceProcessUsage): void {
    if (refills.length === 0) return
    this.#add('from a free slot to the next trainer, p50', quantile(refills, 0.5), 'ms')
    this.#add(`from a free slot to the next trainer, p99 of ${refills.length}`, quantile(refills, 0.99), 'ms')
  }

  /** Checks that every event of every seeded job is stored exactly once. */
  async #checkAll(): Promise<void> {
    const { database, seeded } = this.options
    const report = await this.#trainers.request({ kind: 'report' }, ({ kind }) => kind === 'report')
    const written = report.kind === 'report' ? report.written : {}
    const { events, faults } = await checkEvents(database, seeded.running, written)
    for (const fault of faults) console.error(fault)
    this.#add('written events', events, 'events')
    this.#none('jobs whose events are not stored exactly once', faults.length)
  }

  async #written(): Promise<number> {
    const report = await this.#trainers.request({ kind: 'report' }, ({ kind }) => kind === 'report')
    return report.kind === 'report' ? Object.values(report.written).reduce((sum, one) => sum + one, 0) : 0
  }

  /** Usage of all processes of the service together; delays are those of the slowest. */
  async #usage(): Promise<ServiceProcessUsage> {
    const reports = await Promise.all(
      this.#services.map((service) => service.request({ kind: 'usage' }, ({ kind }) => kind === 'usage')),
    )
    const all = reports.flatMap((report) => (report.kind === 'usage' ? [report] : []))
    const sum = (select: (usage: ServiceProcessUsage) => number) =>
      all.reduce((total, one) => total + select(one), 0)
    const most = (select: (usage: ServiceProcessUsage) => number) => Math.max(...all.map(select))
    return {
      cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
      residentBytes: sum(({ residentBytes }) => residentBytes),
      heapBytes: sum(({ heapBytes }) => heapBytes),
      delayP99: most(({ delayP99 }) => delayP99),
      delayMax: most(({ delayMax }) => delayMax),
      refills: all.flatMap(({ refills }) => refills),
    }
  }

  async #untilStored(count: number): Promise<void> {
    const { database, seeded } = this.options
    for (const deadline = performance.now() + DRAIN_SECONDS * 1000; performance.now() < deadline; ) {
      if ((await storedEvents(database, seeded.running)) >= count) return
      await delay(LOOK_MILLISECONDS)
    }
    throw new Error(`the events were not stored within ${DRAIN_SECONDS} s`)
  }

  #add(what: string, value: number, unit: string): void {
    this.#figures.push({ what, value, unit })
  }

  /** Records an event that must not occur. */
  #none(what: string, value: number): void {
    this.#figures.push({ what, value, unit: '', limit: { at: 'most', value: 0 } })
  }
}

/** Options that the systemd units set for Node.js. */
function unitOptions(): string[] {
  const unit = readFileSync(join(import.meta.dirname, '../../examples/deploy/medloom.service'), 'utf8')
  return /^Environment="NODE_OPTIONS=(.*)"$/m.exec(unit)?.[1]?.split(' ') ?? []
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await work()
  console.log(`${what} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return result
}
