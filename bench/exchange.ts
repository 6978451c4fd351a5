import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { TrainingConfig } from '@medloom/contracts'
import { trainerCommand } from '../packages/server/src/launchers/trainer-command.js'
import { startTestService } from '../packages/server/testing/service.js'
import { exchangeOf } from '../packages/server/testing/training/exchange-of.js'
import { makeDataset } from '../tests/testing/dataset.js'
import { Caller } from '../tests/testing/http.js'
import { PYTHON, REPOSITORY, startService, temporaryFolder } from '../tests/testing/service.js'
import { trainingConfig } from '../tests/testing/training.js'
import { startBareServer } from './exchange/bare-server.js'

/**
 * Cost of exchanging files of nodes over HTTP: data fetched, and the model of a checkpoint sent through the exchange, compared with the bare
 * http.client of Python at a bare node:http server, and with a copy in a folder; and a training with the exchange compared with one with a
 * shared folder. In turns; medians. A missed limit exits with 1.
 *
 *     npm run bench:exchange -- [--rounds 3] [--megabytes 256] [--files 2000]
 */
const LIMITS = { 'small files': 2, 'large files': 3, checkpoint: 3, training: 2 } as const
type Subject = keyof typeof LIMITS

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    megabytes: { type: 'string', default: '256' },
    files: { type: 'string', default: '2000' },
  },
})
const rounds = Number(values.rounds)
const megabytes = Number(values.megabytes)
const run = promisify(execFile)
const service = await startTestService({ exchange: 'http' })
const place = dirname(service.root)
const written = join(place, 'written')
mkdirSync(written)
const bare = await startBareServer(service.root, written)
let isMissed = false
try {
  console.log(
    `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; medians of ${rounds} rounds`,
  )
  const small = filesOf('small', Number(values.files), 20_000)
  tell('small files', await fetched(small))
  const large = filesOf('large', 4, (megabytes << 20) / 4)
  tell('large files', await fetched(large))
  tell('checkpoint', await pushed())
  tell('training', await trained())
} finally {
  bare.close()
  await service.close()
  rmSync(place, { recursive: true, force: true })
}
process.exit(isMissed ? 1 : 0)

/** Seconds by method: the exchange first, followed by its references. */
type Seconds = Readonly<Record<string, readonly number[]>>

function tell(subject: Subject, seconds: Seconds): void {
  const [[, own = Number.NaN] = [], ...others] = Object.entries(seconds).map(
    ([way, taken]) => [way, median(taken)] as const,
  )
  const ratios = others.map(([way, other]) => `${(own / other).toFixed(2)} × ${way} (${other.toFixed(2)} s)`)
  const held = own <= LIMITS[subject] * (others[0]?.[1] ?? 0)
  isMissed ||= !held
  console.log(
    `${subject.padEnd(12)} ${own.toFixed(2)} s = ${ratios.join(', ')}; at most ${LIMITS[subject]} ×: ${held ? 'held' : 'MISSED'}`,
  )
}

/** Creates a file with the names of the created files. */
function filesOf(name: string, count: number, bytes: number): string {
  mkdirSync(join(service.root, name))
  const names = Array.from({ length: count }, (_, number) => `${name}/${number}.bin`)
  for (const path of names) writeFileSync(join(service.root, path), randomBytes(bytes))
  const list = join(place, `${name}.json`)
  writeFileSync(list, JSON.stringify(names))
  return list
}

async function fetched(list: string): Promise<Seconds> {
  const attempt = await begun()
  return inTurns(['fetch', 'bare-fetch', 'copy'], async (what) => {
    const folder = join(place, 'arrived')
    const seconds = await client([what, list, service.root, folder, bare.address], attempt)
    rmSync(folder, { recursive: true })
    return seconds
  })
}

async function pushed(): Promise<Seconds> {
  const folder = join(place, 'run')
  mkdirSync(join(folder, 'checkpoints/best'), { recursive: true })
  writeFileSync(join(folder, 'checkpoints/best/model.safetensors'), randomBytes(megabytes << 20))
  // A service that already has the content accepts none of it: each round is a new job.
  return inTurns(['push', 'bare-push'], async (what) => client([what, folder, bare.address], await begun()))
}

async function trained(): Promise<Seconds> {
  const dataset = makeDataset(temporaryFolder('bench-exchange'))
  try {
    return await inTurns(['http', 'folder'], async (exchange) => {
      const { url, dataDir, stop } = await startService({
        roots: [dataset],
        arguments: ['--exchange', exchange, '--log-level', 'warn'],
        env: { MEDLOOM_NODE_CACHE: join(place, randomUUID()) },
      })
      const caller = new Caller(url)
      const began = performance.now()
      const job = await caller.ended(await caller.start(trainingConfig(dataset)))
      const seconds = (performance.now() - began) / 1000
      await stop()
      rmSync(dataDir, { recursive: true })
      if (job.status !== 'completed') throw new Error(`the training is ${job.status}`)
      return seconds
    })
  } finally {
    rmSync(dataset, { recursive: true })
  }
}

async function inTurns(ways: readonly string[], measure: (way: string) => Promise<number>): Promise<Seconds> {
  const seconds: Record<string, number[]> = Object.fromEntries(ways.map((way) => [way, []]))
  for (let round = 0; round < rounds; round++) for (const way of ways) seconds[way]?.push(await measure(way))
  return seconds
}

/** Environment of the process of a new attempt. */
async function begun(): Promise<Readonly<Record<string, string>>> {
  const jobId = randomUUID()
  const config = TrainingConfig.parse(trainingConfig(service.root))
  const { exchange } = exchangeOf(service, jobId)
  const source = await exchange.putSpec({ job_name: 'bench', attempt: 1, config, resumed_from: null })
  const resources = { nodes: 1, processes: 1, cpus: 1, gpus: 0 }
  return trainerCommand(PYTHON, { job_id: jobId, attempt: 1, resources, ...source }).environment
}

async function client(flags: readonly string[], attempt: Readonly<Record<string, string>>): Promise<number> {
  const program = join(REPOSITORY, 'bench/exchange/client.py')
  const { stdout } = await run(PYTHON, [program, ...flags], { env: { ...process.env, ...attempt } })
  return Number(stdout)
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
