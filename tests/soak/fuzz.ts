import './end-on-signal.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { REPOSITORY, startService, temporaryFolder } from '../testing/service.js'
import { Promises } from './promises.js'

/**
 * Sends valid and invalid requests generated from /openapi.json to its own service, and checks every response: no 500, no undeclared status,
 * no body that violates its declaration, no invalid request accepted, no valid request rejected as malformed.
 *
 *     npm run fuzz -- [--rounds 3] [--examples 20] [--minutes 30] [--seed 1]
 */
export interface FuzzOptions {
  readonly rounds: number
  /** Requests of each kind per route and round. */
  readonly examples: number
  readonly seed?: number
  /** Phases of schemathesis: coverage sends each boundary once (only in the first round), fuzzing random requests, stateful sequences. */
  readonly phases?: readonly ('coverage' | 'fuzzing' | 'stateful')[]
  /** Time limit of all rounds together. */
  readonly minutes: number
  readonly dataset: string
  readonly log?: (line: string) => void
}

export interface FuzzRound {
  readonly seed: number
  readonly requests: number
  readonly routes: string
  readonly failures: number
  readonly errors: number
  readonly seconds: number
  /** False: the time limit was reached first. */
  readonly finished: boolean
  /** Output of schemathesis; the failures with the requests that reproduce them. */
  readonly output: string
}

const SCHEMATHESIS = join(REPOSITORY, '.venv-fuzz/bin/schemathesis')
export const canFuzz = existsSync(SCHEMATHESIS)

/** The API responds 404 with Allow where schemathesis expects 405, and 400 if a file named in a request does not exist. */
const NOT_PROMISED = ['unsupported_method', 'positive_data_acceptance']

export async function fuzz({
  rounds,
  examples,
  seed = 1,
  phases = ['coverage', 'fuzzing', 'stateful'],
  minutes,
  dataset,
  log = () => {},
}: FuzzOptions): Promise<FuzzRound[]> {
  const service = await startService({ roots: [dirname(dataset)] })
  const deadline = Date.now() + minutes * 60_000
  const done: FuzzRound[] = []
  try {
    for (let index = 0; index < rounds && Date.now() < deadline; index++) {
      const limit = deadline - Date.now()
      const chosen =
        index === 0 ? phases : phases.filter((phase) => phase !== 'coverage' || phases.length === 1)
      const round = await runRound(service.url, { examples, phases: chosen, seed: seed + index, limit })
      if (round === null) break
      done.push(round)
      if (round.failures + round.errors > 0) log(round.output)
      log(`round ${index + 1}: ${round.requests} requests, ${round.failures} failures`)
    }
    return done
  } finally {
    await service.stop()
    rmSync(service.dataDir, { recursive: true, force: true })
  }
}

/** null: the time limit was reached before the first request. */
async function runRound(
  url: string,
  options: { examples: number; phases: readonly string[]; seed: number; limit: number },
): Promise<FuzzRound | null> {
  const reports = temporaryFolder('fuzz')
  const began = Date.now()
  const child = spawn(SCHEMATHESIS, flags(url, reports, options), {
    cwd: reports,
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: 'checks',
      PYTHONPATH: join(REPOSITORY, 'tests/soak/fuzz'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { output, finished } = await ended(child, options.limit)
  try {
    const report = readdirSync(reports).find((name) => name.startsWith('json-'))
    if (!report && !finished) return null
    if (!report) throw new Error(`schemathesis wrote no report:\n${output}`)
    const { test_cases, operations, errors } = JSON.parse(readFileSync(join(reports, report), 'utf8'))
    return {
      seed: options.seed,
      requests: test_cases.generated,
      routes: `${operations.tested} of ${operations.total}`,
      failures: test_cases.unique_failures,
      errors: errors.length,
      seconds: Math.round((Date.now() - began) / 1000),
      finished,
      output,
    }
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
}

function flags(
  url: string,
  reports: string,
  { examples, phases, seed }: { examples: number; phases: readonly string[]; seed: number },
): string[] {
  return [
    ...['run', `${url}/openapi.json`, '--checks', 'all', '--exclude-checks', NOT_PROMISED.join(',')],
    ...['--max-examples', String(examples), '--seed', String(seed), '--phases', phases.join(',')],
    ...['--report', 'json', '--report-dir', reports, '--generation-database', 'none'],
    ...['--request-timeout', '60', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
    '--continue-on-failure',
  ]
}

/** Interrupted at the time limit: it then still writes its report. */
function ended(child: ChildProcess, limit: number): Promise<{ output: string; finished: boolean }> {
  return new Promise((resolve, reject) => {
    let output = ''
    let finished = true
    const unregister = registerCleanup(() => child.kill('SIGKILL'))
    const timer = setTimeout(() => {
      finished = false
      child.kill('SIGINT')
    }, limit)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
      })
    child.on('error', reject)
    child.on('close', () => {
      unregister()
      clearTimeout(timer)
      resolve({ output, finished })
    })
  })
}

/** One line per round, and their total. */
export function tableOf(rounds: readonly FuzzRound[]): string {
  const cells = rounds.map(({ seed, routes, requests, failures, errors, seconds, finished }) => [
    `${seed}`,
    routes,
    `${requests}`,
    `${failures}`,
    `${errors}`,
    `${seconds} s${finished ? '' : ', time over'}`,
  ])
  const sum = (key: 'requests' | 'failures' | 'errors') =>
    String(rounds.reduce((total, round) => total + round[key], 0))
  return [
    ['seed', 'routes', 'requests', 'failures', 'errors', 'time'],
    ...cells,
    ['sum', '', sum('requests'), sum('failures'), sum('errors'), ''],
  ]
    .map((row) => row.map((cell) => cell.padStart(9)).join('  '))
    .join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      examples: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
    },
  })
  const folder = temporaryFolder('fuzz-data')
  try {
    const rounds = await fuzz({
      rounds: Number(values.rounds),
      examples: Number(values.examples),
      minutes: Number(values.minutes),
      seed: Number(values.seed),
      dataset: makeDataset(join(folder, 'synthetic')),
      log: console.log,
    })
    console.log(`\n${tableOf(rounds)}`)
    const promises = new Promises()
    for (const { requests, failures, errors } of rounds)
      promises.add('a request is answered as the interface declares', requests, requests - failures - errors)
    console.log(`\n${promises.table()}`)
    const requested = Number(values.rounds)
    if (rounds.length < requested) console.log(`${rounds.length} of ${requested} rounds: the time was over`)
    if (rounds.some(({ failures, errors }) => failures + errors > 0)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
