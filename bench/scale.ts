import { availableParallelism, constants, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { runCleanups } from '../tests/testing/cleanup.js'
import { decisionFigures } from './scale/decision.js'
import { isWithinLimit, line, writeFigures } from './scale/figures.js'
import { measureService, PARTS, type Part, type Scenario } from './scale/measure.js'

/**
 * Capacity of one service: thousands of waiting and running jobs, clients and followers. Only the launcher is simulated: another process
 * writes the trainers' files, everything else is unchanged. Exits with 1 if a limit is missed or an event is not stored exactly once.
 *
 *     npm run bench:scale -- [--only accept,status,schedule,ingest,sockets] [--seconds 20] [--queued 10000] [--running 1000] [--rate 5]
 *                            [--sockets 2000] [--clients 200] [--database-url postgres://user@host:5432/postgres] [--write]
 *
 * A database is created on the server at this address and removed afterwards. The same is measured there with several API processes and a
 * controller, too: [--api-processes 2]. [--services sqlite,postgresql,api] measures some of the three.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join() },
    services: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    queued: { type: 'string', default: '10000' },
    running: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '5' },
    sockets: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '200' },
    'api-processes': { type: 'string', default: '2' },
    'database-url': { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const parts = values.only.split(',')
const server = values['database-url']
/** Key of the command line, name in the page, server, API processes. */
const SERVICES = [
  ['sqlite', 'SQLite', null, 0],
  ...(server
    ? ([
        ['postgresql', 'PostgreSQL', server, 0],
        ['api', 'API processes', server, Number(values['api-processes'])],
      ] as const)
    : []),
] as const
const keys = SERVICES.map(([key]) => String(key))
const services = values.services?.split(',') ?? keys
const unknown = [
  ...parts.filter((name) => !(PARTS as readonly string[]).includes(name)),
  ...services.filter((name) => !keys.includes(name)),
]
const numbers = [
  values.seconds,
  values.queued,
  values.running,
  values.rate,
  values.sockets,
  values.clients,
  values['api-processes'],
]
if (unknown.length > 0 || numbers.some((text) => !(Number(text) > 0))) {
  console.error(
    `There are the parts ${PARTS.join(', ')} and the services ${keys.join(', ')}; numbers are more than none.`,
  )
  if (!server) console.error('With --database-url there are the services postgresql and api as well.')
  process.exit(2)
}
const scenario: Scenario = {
  parts: parts as Part[],
  seconds: Number(values.seconds),
  queued: Number(values.queued),
  running: Number(values.running),
  folding: Math.floor(Number(values.running) / 5),
  eventsPerSecond: Number(values.rate),
  sockets: Number(values.sockets),
  clients: Number(values.clients),
  apiProcesses: 0,
}

// Services, clients and folders are always cleaned up, even after an interruption.
process.once('exit', runCleanups)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))

let withinLimits = true
const decided = scenario.parts.includes('schedule') ? await decisionFigures(scenario) : []
for (const [key, part, server, apiProcesses] of SERVICES) {
  if (!services.includes(key)) continue
  const figures = [...decided, ...(await measureService({ ...scenario, apiProcesses }, server))]
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  console.log(load)
  for (const figure of figures) console.log(line(figure))
  withinLimits &&= figures.every(isWithinLimit)
  const about = `Made with \`npm run bench:scale\`: ${scenario.queued} jobs wait and ${scenario.running} run, ${load}.`
  if (values.write) await writeFigures(part, about, figures)
}
process.exit(withinLimits ? 0 : 1)
