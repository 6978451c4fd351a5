import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningService } from '../../tests/testing/service.js'
import type { Workflows } from '../../tests/testing/workflow.js'
import { report } from './figures.js'
import { Referee, type Reference } from './reference.js'
import { runEnded } from './service.js'
import { chain } from './shapes.js'

const LIMIT = 1.5
/** A short chain, so that the fastest run was not delayed by other processes; the service compiles its code during the first runs. */
const NODES = 200
const ATTEMPTS = 30
/** Requests for the state of the run cost the service as much as some nodes. */
const POLL_MILLISECONDS = 100

/** Milliseconds per node. Processor time is not known on systems other than Linux. */
interface Cost {
  readonly wall: number
  readonly service: number
  readonly workers: number
}

/**
 * The cost of a node that only records a setting of one case, from the request to the end of the run, including everything that is stored.
 * The reference is measured between the runs: its rows in one durable transaction, and its value as JSON to a thread and back. The ratio to it
 * depends less on the machine than the times.
 */
export async function nodeCost(
  { workflows, process: { pid = 0 }, dataDir }: RunningService & { readonly workflows: Workflows },
  dataset: string,
  warm: number,
): Promise<void> {
  const load = await workflows.create(chain(1, dataset))
  const id = await workflows.create(chain(NODES, dataset))
  const costs: Cost[] = []
  const references: Reference[] = []
  let referee: Referee | undefined
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await workflows.caller.delete('/api/workflow/cache')
      await workflows.run(load)
      costs.push(await costOfRun(workflows, id, pid))
      referee ??= Referee.with(join(dataDir, 'medloom.db'))
      references.push(await referee.measure())
    }
  } finally {
    await referee?.close()
  }
  show(costs, references, warm)
}

async function costOfRun(workflows: Workflows, id: string, pid: number): Promise<Cost> {
  const workers = childrenOf(pid)
  const before = [processorTime([pid]), processorTime(workers)] as const
  const began = Date.now()
  await workflows.execute(id)
  const { status, ended_at } = await runEnded(workflows, id, POLL_MILLISECONDS)
  if (status !== 'success') throw new Error(`the run ended with ${status}`)
  return {
    wall: (Date.parse(ended_at ?? '') - began) / NODES,
    service: (processorTime([pid]) - before[0]) / NODES,
    workers: (processorTime(workers) - before[1]) / NODES,
  }
}

function show(costs: readonly Cost[], references: readonly Reference[], warm: number): void {
  const least = (key: keyof Cost) => Math.min(...costs.map((cost) => cost[key]))
  report(`a node that does nothing, in a running service (${NODES} in a chain)`, least('wall'), LIMIT)
  if (Number.isFinite(least('service')))
    report('the same, processor time of the service', least('service'), LIMIT)
  const median = (values: readonly number[]) =>
    [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
  const reference = (key: keyof Reference) => median(references.map((each) => each[key]))
  const ratio = (key: keyof Cost, to: keyof Reference) =>
    median(costs.map((cost, index) => cost[key] / (references[index]?.[to] ?? Number.NaN))).toFixed(2)
  const line = (text: string) => console.log(`${''.padEnd(58)} ${text}`)
  line(`${(least('wall') / warm).toFixed(2)} × the time of the warm worker alone`)
  for (const [name, key] of [
    ['wall', 'wall'],
    ['processor, service', 'service'],
    ['processor, workers', 'workers'],
  ] as const)
    line(
      `${name}: median ${median(costs.map((cost) => cost[key])).toFixed(2)}, least ${least(key).toFixed(2)} ms`,
    )
  line(
    `reference: a durable transaction of its rows ${reference('transaction').toFixed(2)} ms (processor ` +
      `${reference('transactionProcessor').toFixed(2)}), JSON to a thread and back ${reference('roundTrip').toFixed(2)} ms (processor ` +
      `${reference('roundTripProcessor').toFixed(2)})`,
  )
  line(
    `processor time of the service: ${ratio('service', 'processor')} × the reference; wall time: ${ratio('wall', 'wall')} ×`,
  )
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Milliseconds that the threads of these processes have used; NaN where it is not known. */
function processorTime(pids: readonly number[]): number {
  let total = 0
  for (const pid of pids)
    try {
      // Nanoseconds on a processor, nanoseconds in its queue, number of turns.
      for (const thread of readdirSync(`/proc/${pid}/task`))
        total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    } catch {
      return Number.NaN
    }
  return total
}
