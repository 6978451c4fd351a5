import './end-on-signal.js'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Job } from '@medloom/contracts'
import { POSTGRES_PROGRAMS } from '../../packages/server/testing/postgres-cluster.js'
import { testRay } from '../../packages/server/testing/ray-cluster.js'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { temporaryFolder } from '../testing/service.js'
import { Deployment } from './cluster/deployment.js'
import { FAULTS, type Fault, type FaultName, type FaultSizes } from './cluster/faults.js'
import { Load } from './cluster/load.js'
import { Promises } from './promises.js'

export interface SoakFaultOptions {
  /** Folder of the synthetic dataset. */
  readonly dataset: string
  readonly promises: Promises
  readonly sizes: FaultSizes
}

/**
 * Breaks one part of a deployment after another while it works: two API processes, two controllers, a database server, and, if trainings run
 * on one, a Ray cluster with a head and two nodes. After each fault: no acknowledged work is lost, no job is reported as running that does
 * not run, no result is counted twice, and all jobs end.
 *
 *     npm run soak:cluster -- [--only controller,api] [--rounds 1] [--trainings 200] [--whole] [--set config.training.epochs=2]
 *                             [--here seeds=1]
 */
export async function soakFault(
  name: FaultName,
  { dataset, promises, sizes }: SoakFaultOptions,
): Promise<string> {
  const fault: Fault = FAULTS[name]
  const why =
    (POSTGRES_PROGRAMS ? undefined : 'PostgreSQL is not installed') ??
    (fault.on === 'ray' && !testRay() ? 'there is no environment with Ray' : undefined) ??
    fault.absent?.()
  if (why !== undefined) {
    promises.notTried(fault.what, why)
    return `not tried: ${why}`
  }
  const deployment = await Deployment.start({ dataset, on: fault.on, ...fault.options?.() })
  try {
    const load = new Load(deployment, promises)
    const seen = await fault.strike(deployment, load, promises, sizes)
    const ended = await load.check(fault.ends)
    promises.check(`survived: ${fault.what}`, true)
    return ended.length > 0 ? `${seen}; ${endsOf(ended)}` : seen
  } finally {
    await deployment.end()
  }
}

/** Number of jobs by outcome. */
function endsOf(ended: readonly Job[]): string {
  const ends = [...new Set(ended.map(({ status }) => status))].map(
    (end) => `${ended.filter(({ status }) => status === end).length} ${end}`,
  )
  const again = ended.filter(({ attempt }) => attempt > 1).length
  return `${ends.join(', ')}, ${again} of them in a later attempt`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '1' },
      trainings: { type: 'string', default: '200' },
      whole: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: [] },
      here: { type: 'string', multiple: true, default: [] },
    },
  })
  const names = Object.keys(FAULTS) as FaultName[]
  const requested = values.only?.split(',') ?? names
  const chosen = names.filter((name) => requested.includes(name))
  if (chosen.length < requested.length) throw new Error(`--only takes some of ${names.join(', ')}`)
  const dataset = makeDataset(join(temporaryFolder('soak-data'), 'synthetic'), { cases: 120 })
  const sizes = {
    trainings: Number(values.trainings),
    pad: { whole: values.whole, settings: values.set, here: values.here },
  }
  const promises = new Promises()
  const table = () => console.log(`\n${promises.table()}`)
  const ended = registerCleanup(table)
  try {
    for (let round = 1; round <= Number(values.rounds); round++)
      for (const name of chosen) {
        const began = performance.now()
        const seen = await soakFault(name, { dataset, promises, sizes })
        console.log(`${name}: ${seen} (${((performance.now() - began) / 1000).toFixed(0)} s)`)
      }
  } finally {
    ended()
    table()
    rmSync(dirname(dataset), { recursive: true, force: true })
  }
}
