import type { Workflows } from '../../tests/testing/workflow.js'
import { report } from './figures.js'
import { nodeCost } from './node-cost.js'
import { oneCase, runEnded, withService } from './service.js'
import { chain } from './shapes.js'

const NODES = 1000
const ATTEMPTS = 7
const LIMITS = { cached: 300, afterStart: 500 }

/**
 * Chains of nodes that only record a setting of one case, in a running service: computed by a warm worker (the overhead of a node, including
 * everything that is stored; `warm` is the same without the service, in the same run), and run again when all results are cached. The second
 * run is timed as a client sees it, from the request to the status of all nodes: in the service that computed them, and in one that has just
 * started and finds them on the disk. There a program that counts replaces Python, to verify that no worker is called.
 */
export async function cachedRun(warm: number): Promise<void> {
  await withService('cached', async ({ root, start }) => {
    const service = await start()
    const { workflows } = service
    const dataset = oneCase(root)
    await nodeCost(service, dataset, warm)

    const id = await workflows.create(chain(NODES, dataset))
    await workflows.execute(id)
    const { status } = await runEnded(workflows, id, 100)
    if (status !== 'success') throw new Error(`the run ended with ${status}`)
    const times: number[] = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) times.push(await rerun(workflows, id))
    const middle = times.sort((a, b) => a - b)[Math.floor(ATTEMPTS / 2)] ?? Number.NaN
    report(`run ${NODES} cached nodes through REST`, middle, LIMITS.cached)

    // With the same Python: results of another one are not reused.
    const restarted = await start()
    const fromDisk = await rerun(restarted.workflows, id)
    report(`run ${NODES} cached nodes in a service that has just started`, fromDisk, LIMITS.afterStart)
  })
}

/** Milliseconds from POST execute to the status of all nodes, requested when the list of runs reports the end. */
async function rerun(workflows: Workflows, id: string): Promise<number> {
  await new Promise((resume) => setTimeout(resume, 500))
  const began = performance.now()
  await workflows.execute(id)
  await runEnded(workflows, id)
  const { status, nodes } = await workflows.status(id)
  const elapsed = performance.now() - began
  const cached = Object.values(nodes).filter((node) => node.status === 'cached').length
  if (status !== 'success' || cached !== NODES) throw new Error(`${status}: ${cached} nodes were cached`)
  return elapsed
}
