import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { JobMessage, TrainerEvent, TrainingConfigInput } from '@medloom/contracts'
import { WebSocket } from 'ws'
import { makeDataset } from '../tests/testing/dataset.js'
import { Caller } from '../tests/testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../tests/testing/service.js'
import { longTrainingConfig } from '../tests/testing/training.js'

/**
 * Start latency: from the request that starts a training on a warm service, whose images are already prepared, until its first progress
 * message is read from the WebSocket. Before each start no training runs for two seconds. Exits with 1 if a median exceeds the
 * limit.
 *
 *     npm run bench:start -- [--starts 9] [--cases 60]
 */
const REST_MILLISECONDS = 2000
const LIMIT_MILLISECONDS = 500
const PHASES = ['accepted', 'trainer began', 'data prepared', 'first batch', 'delivered'] as const
type Phases = Record<(typeof PHASES)[number], number>

const { values } = parseArgs({
  options: { starts: { type: 'string', default: '9' }, cases: { type: 'string', default: '60' } },
})
const root = makeDataset(temporaryFolder('start'), { cases: values.cases })
const SETS: Record<string, TrainingConfigInput> = {
  'table alone': longTrainingConfig(root, { model: { vision_backbone: 'none' } }),
  'images and table': longTrainingConfig(root, { model: { vision_backbone: 'resnet18' } }),
}
// The number of threads that the trainer itself would use.
const env = { OMP_NUM_THREADS: String(availableParallelism()) }
const service = await startService({ roots: [root], prewarm: true, env, arguments: ['--log-level', 'warn'] })
let missed = false
try {
  console.log(`load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; medians in milliseconds`)
  console.log(row('', [...PHASES, 'in all', 'longest']))
  for (const [name, config] of Object.entries(SETS)) {
    // The first start decodes the images, and reads files that are not in the page cache yet.
    for (let count = 0; count < 2; count++) await start(service, config)
    const starts: Phases[] = []
    for (let count = 0; count < Number(values.starts); count++) starts.push(await start(service, config))
    const totals = starts.map((phases) => PHASES.reduce((sum, phase) => sum + phases[phase], 0))
    const medians = PHASES.map((phase) => median(starts.map((phases) => phases[phase])))
    const total = median(totals)
    missed ||= total > LIMIT_MILLISECONDS
    console.log(row(name, [...medians, total, Math.max(...totals)].map(Math.round)))
  }
  console.log(`limit ${LIMIT_MILLISECONDS} ms in all: ${missed ? 'MISSED' : 'held'}`)
} finally {
  await service.stop()
  for (const folder of [root, service.dataDir]) rmSync(folder, { recursive: true, force: true })
}
process.exit(missed ? 1 : 0)

/** One training, until its first progress message arrives; then it is stopped and removed. */
async function start({ url, webSocketUrl, dataDir }: RunningService, config: object): Promise<Phases> {
  const caller = new Caller(url)
  await delay(REST_MILLISECONDS)
  const began = Date.now()
  const jobId = await caller.start(config)
  const accepted = Date.now()
  await firstProgress(`${webSocketUrl}/ws/training/${jobId}`)
  const delivered = Date.now()
  const [preparing, prepared, progress] = eventTimes(join(dataDir, 'runs', jobId, 'events.1.jsonl'))
  await caller.post(`/api/training/${jobId}/stop`)
  await caller.ended(jobId)
  await caller.delete(`/api/training/${jobId}`)
  return {
    accepted: accepted - began,
    'trainer began': preparing - accepted,
    'data prepared': prepared - preparing,
    'first batch': progress - prepared,
    delivered: delivered - progress,
  }
}

/** Times at which the trainer wrote the events that separate the phases. */
function eventTimes(file: string): [number, number, number] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const events = lines.map((line) => JSON.parse(line) as TrainerEvent)
  const time = (type: TrainerEvent['type']) =>
    Date.parse(events.find((event) => event.type === type)?.timestamp ?? '')
  return [time('phase'), time('prepared'), time('progress')]
}

function firstProgress(address: string): Promise<void> {
  return new Promise((done, fail) => {
    const socket = new WebSocket(address)
    socket.on('message', (data) => {
      if ((JSON.parse(String(data)) as JobMessage).type !== 'progress') return
      socket.terminate()
      done()
    })
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the training ended without a progress message')))
  })
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function row(name: string, cells: readonly (string | number)[]): string {
  return name.padEnd(18) + cells.map((cell) => String(cell).padStart(14)).join('')
}
