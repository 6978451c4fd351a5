import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Caller } from '../tests/testing/http.js'
import { REPOSITORY, startService, temporaryFolder } from '../tests/testing/service.js'
import type { ClientOrder, ClientReport } from './fanout-clients.js'

/**
 * One training with ten messages a second and many followers: checks that the service still responds. Each size runs on a new service, whose
 * /api/system/health, measured while it is idle, is the baseline of the same run.
 *
 *     npm run bench:fanout -- [--followers 1000,10000] [--seconds 20]
 */
const TARGETS = { statusP99: 50, residentMegabytes: 300, terminalsMissed: 0 }
const REQUESTS_PER_SECOND = 100
const CLIENT_PROCESSES = 2

const { values } = parseArgs({
  options: {
    followers: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '20' },
  },
})
let failed = false
for (const followers of values.followers.split(',').map(Number)) {
  const result = await measure(followers, Number(values.seconds))
  console.log(JSON.stringify(result))
  for (const [name, target] of Object.entries(TARGETS)) {
    const value = result[name as keyof typeof TARGETS]
    const met = value <= target
    failed ||= !met
    console.log(`  ${name} ${value} (target: at most ${target}) ${met ? 'met' : 'MISSED'}`)
  }
}
process.exit(failed ? 1 : 0)

async function measure(followers: number, seconds: number) {
  const root = temporaryFolder('fanout')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'train.csv'), 'label\n')
  // A program that writes events at a constant rate replaces the trainer; everything else is unchanged.
  const trainer = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')
  const service = await startService({
    roots: [root],
    arguments: ['--python', trainer, '--log-level', 'warn', '--max-sockets', '100000'],
  })
  const clients: ChildProcess[] = []
  let jobId = ''
  try {
    await delay(2000)
    const baseline = await measureRequests(`${service.url}/api/system/health`, Math.min(10, seconds))
    const caller = new Caller(service.url)
    const config = {
      data: { train_csv: 'train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
      training: { epochs: 100_000, batch_size: 1, device: 'cpu' },
    }
    jobId = await caller.start(config, 'batches=50 delay=100')
    for (let started = 0; started < CLIENT_PROCESSES; started++)
      clients.push(await connectClients(service.webSocketUrl, jobId, followers))
    await delay(2000)
    for (const client of clients) client.send('count')
    const memory = watchMemory(service.url)
    const status = await measureRequests(`${service.url}/api/training/${jobId}/status`, seconds)
    const resident = await memory.peak()
    const reports = clients.map((client) => once(client, 'message') as Promise<[ClientReport]>)
    await caller.post(`/api/training/${jobId}/stop`)
    await delay(3000)
    for (const client of clients) client.send('report')
    const clientReports = (await Promise.all(reports)).map(([report]) => report)
    const sum = (name: keyof ClientReport) => clientReports.reduce((total, report) => total + report[name], 0)
    return {
      followers,
      connected: sum('connected'),
      seconds,
      healthP50: quantile(baseline, 0.5),
      healthP99: quantile(baseline, 0.99),
      statusP50: quantile(status, 0.5),
      statusP99: quantile(status, 0.99),
      statusRequests: status.length,
      residentMegabytes: Math.round(resident / 1e6),
      delivered: sum('delivered'),
      deliveredPerSecond: Math.round(sum('delivered') / seconds),
      progressCoalesced: sum('skipped'),
      terminalsMissed: followers - sum('terminals'),
      closedEarly: sum('closedEarly'),
      // Measurements on a busy machine are not meaningful.
      load: `${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
    }
  } finally {
    for (const client of clients) client.kill()
    // A training outlives its service, so it is always ended first, even after a failure.
    await fetch(`${service.url}/api/training/${jobId}/stop`, { method: 'POST' }).catch(() => undefined)
    await service.stop()
    for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}

async function connectClients(url: string, jobId: string, followers: number): Promise<ChildProcess> {
  const order: ClientOrder = { url, jobId, count: Math.ceil(followers / CLIENT_PROCESSES) }
  const client = fork(join(import.meta.dirname, 'fanout-clients.ts'), [JSON.stringify(order)])
  const ended = once(client, 'exit').then(() => Promise.reject(new Error('the clients could not connect')))
  await Promise.race([once(client, 'message'), ended])
  ended.catch(() => undefined)
  return client
}

/** Milliseconds of every response, with REQUESTS_PER_SECOND requests a second, whether or not earlier responses have arrived. */
async function measureRequests(url: string, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const pending: Promise<void>[] = []
  const began = performance.now()
  for (let count = 0; count < seconds * REQUESTS_PER_SECOND; count++) {
    const due = began + (count * 1000) / REQUESTS_PER_SECOND
    await delay(Math.max(0, due - performance.now()))
    const sent = performance.now()
    pending.push(
      new Promise((done, fail) => {
        request(url, { agent }, (response) => {
          response.resume()
          response.on('end', () => {
            times.push(performance.now() - sent)
            done()
          })
        })
          .on('error', fail)
          .end()
      }),
    )
  }
  await Promise.all(pending)
  agent.destroy()
  return times
}

/** Memory reported by the service, once a second. */
function watchMemory(url: string) {
  let peak = 0
  const look = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    peak = Math.max(peak, Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? Number.NaN))
  }
  const timer = setInterval(() => void look(), 1000)
  return {
    async peak() {
      clearInterval(timer)
      await look()
      return peak
    },
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN) * 10) / 10
}
