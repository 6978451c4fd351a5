import { rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Caller } from '../tests/testing/http.js'
import { REPOSITORY, type RunningService, startService, temporaryFolder } from '../tests/testing/service.js'
import { configOf, type Filled, fill, type Size } from './growth/fill.js'

/**
 * Checks whether the service becomes slower as its data folder fills. One folder contains years of work, one a page of everything, and one
 * only the requested items; the same requests are sent to all three in turns. A request that takes more than twice as long in the full folder
 * exits with 1, and so does a curve of all points in it, or of a window, that takes 50 ms. A page of rows takes longer than one row, so lists
 * are compared with the folder of one page.
 *
 *     npm run bench:growth -- [--quick] [--jobs 10000] [--runs 100000] [--points 1000000] [--rounds 60] [--restarts 5]
 */
const PAGE: Size = { jobs: 51, runs: 51, points: 1000 }
const EMPTY: Size = { jobs: 1, runs: 1, points: 1 }
const MAX_RATIO = 2
const MAX_CURVE_MILLISECONDS = 50

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    runs: { type: 'string' },
    points: { type: 'string' },
    rounds: { type: 'string', default: '60' },
    restarts: { type: 'string', default: '5' },
  },
})
const part = values.quick ? 20 : 1
const FULL: Size = {
  jobs: Number(values.jobs ?? 10_000 / part),
  runs: Number(values.runs ?? 100_000 / part),
  points: Number(values.points ?? 1_000_000 / part),
}

/** A service with its own folder. */
interface Subject {
  readonly dataDir: string
  readonly root: string
  readonly filled: Filled
  service: RunningService
}

/** A timed request, with an action after it that is not timed. */
interface Step {
  readonly path: (subject: Subject) => string
  readonly body?: (subject: Subject) => object
  readonly after?: (caller: Caller, answer: string) => Promise<unknown>
}

const CURVE = 'curve of all points'
/** A fiftieth of the curve. */
const WINDOW = 'curve of a window'
const RESTART = 'restart until ready'
const STEPS: Readonly<Record<string, Step>> = {
  'list jobs': { path: () => '/api/training?page_size=50' },
  'list models': { path: () => '/api/models?page_size=50' },
  'list runs of a workflow': { path: ({ filled }) => `/api/workflow/${filled.workflowId}/runs?page_size=50` },
  'status of a job': { path: ({ filled }) => `/api/training/${filled.jobId}/status` },
  'status of a workflow': { path: ({ filled }) => `/api/workflow/${filled.workflowId}/status` },
  'plan a workflow': { path: ({ filled }) => `/api/workflow/${filled.workflowId}/plan`, body: () => ({}) },
  'accept a training': {
    path: () => '/api/training/start',
    body: ({ root }) => ({ config: configOf(join(root, 'train.csv')), job_name: 'waits' }),
    after: async (caller, answer) => {
      const { job_id } = JSON.parse(answer) as { job_id: string }
      await caller.post(`/api/training/${job_id}/stop`)
      await caller.ended(job_id)
      await caller.delete(`/api/training/${job_id}`)
    },
  },
  [CURVE]: { path: ({ filled }) => `/api/training/${filled.jobId}/metrics` },
  [WINDOW]: {
    path: ({ filled }) =>
      `/api/training/${filled.jobId}/metrics?from=${0.3 * FULL.points}&to=${0.32 * FULL.points}`,
  },
}

const subjects: Subject[] = []
let missed = false
try {
  for (const size of [FULL, PAGE, EMPTY]) {
    const began = performance.now()
    subjects.push(await open(size))
    const { jobs, runs, points } = size
    console.log(`filled with ${jobs} jobs, ${runs} runs, ${points} points in ${seconds(began)} s`)
  }
  const [full, page, empty] = await measure()
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  console.log(`${load}; medians in milliseconds`)
  console.log(row('', 'full', 'one page', 'empty', 'full/page', 'full/empty', 'limit'))
  for (const [what, time] of full ?? []) {
    const others = [page, empty].map((times) => times?.get(what) ?? Number.NaN)
    const ratios = others.map((other) => time / other)
    const [ofPage = Number.NaN, ofEmpty = Number.NaN] = ratios
    const isList = what.startsWith('list ')
    const isCurve = what === CURVE || what === WINDOW
    const held = isCurve ? time < MAX_CURVE_MILLISECONDS : (isList ? ofPage : ofEmpty) < MAX_RATIO
    const limit = isCurve ? `${MAX_CURVE_MILLISECONDS} ms` : `${MAX_RATIO} x ${isList ? 'page' : 'empty'}`
    missed ||= !held
    const figures = [time, ...others, ...ratios].map((figure) => figure.toFixed(2))
    console.log(row(what, ...figures, `${limit} ${held ? 'held' : 'MISSED'}`))
  }
} finally {
  for (const { service, dataDir, root } of subjects) {
    await service.stop()
    for (const folder of [dataDir, root]) rmSync(folder, { recursive: true, force: true })
  }
}
process.exit(missed ? 1 : 0)

async function open(size: Size): Promise<Subject> {
  const [dataDir, root] = [temporaryFolder('growth-data'), temporaryFolder('growth')]
  const filled = await fill(dataDir, root, size)
  return { dataDir, root, filled, service: await start(dataDir, root) }
}

/** A program that learns nothing replaces the trainer. */
function start(dataDir: string, root: string): Promise<RunningService> {
  const trainer = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')
  return startService({ roots: [root], dataDir, arguments: ['--python', trainer, '--log-level', 'warn'] })
}

/** Medians by step for each subject. */
async function measure(): Promise<Map<string, number>[]> {
  const times = subjects.map(() => new Map<string, number[]>())
  const add = (index: number, what: string, began: number) => {
    const list = times[index]?.get(what) ?? []
    list.push(performance.now() - began)
    times[index]?.set(what, list)
  }
  for (const { service, root } of subjects) await occupy(new Caller(service.url), root)
  // The first round warms up; it counts like the others, because a median is robust.
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [what, { path, body, after }] of Object.entries(STEPS))
      for (const [index, subject] of inTurns(round)) {
        const { url } = subject.service
        const [address, content] = [url + path(subject), body?.(subject)]
        const began = performance.now()
        const answer = await request(address, content)
        add(index, what, began)
        await after?.(new Caller(url), answer)
      }
  for (let round = 0; round < Number(values.restarts); round++)
    for (const [index, subject] of inTurns(round)) {
      await subject.service.stop()
      const began = performance.now()
      subject.service = await start(subject.dataDir, subject.root)
      await request(`${subject.service.url}/api/training?page_size=50`)
      add(index, RESTART, began)
    }
  for (const { service } of subjects) await release(new Caller(service.url))
  return times.map((byStep) => new Map([...byStep].map(([what, list]) => [what, median(list)])))
}

/** Every second round is reversed, so that the order gives no advantage. */
function inTurns(round: number): [number, Subject][] {
  const turns = [...subjects.entries()]
  return round % 2 === 0 ? turns : turns.reverse()
}

/** Bytes of a response, which are not parsed: only the service is timed. */
async function request(address: string, body?: object): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(address, body ? init : {})
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return text
}

/** One training occupies the only slot, so that accepted ones wait. */
async function occupy(caller: Caller, root: string): Promise<void> {
  const config = configOf(join(root, 'train.csv'))
  const endless = { ...config, training: { ...config.training, epochs: 100_000 } }
  const jobId = await caller.start(endless, 'batches=50 delay=1000')
  await caller.until(jobId, ({ status }) => status === 'running')
}

/** Ends the training, because it outlives its service. */
async function release(caller: Caller): Promise<void> {
  const { body } = await caller.get<{ jobs: { job_id: string }[] }>('/api/training?status=running')
  for (const { job_id } of body.jobs) await caller.post(`/api/training/${job_id}/stop`)
}

function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
}

function row(what: string, ...cells: string[]): string {
  return (
    what.padEnd(26) +
    cells.map((cell) => cell.padStart(cell.includes(' x ') || cell.includes('ms ') ? 20 : 12)).join('')
  )
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(0)
}
