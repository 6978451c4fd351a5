import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../../tests/support/service.js'
import type { Workflows } from '../../tests/support/workflow.js'
import { report } from './figures.js'
import { oneCase, runEnded, withService } from './service.js'
import { chain } from './shapes.js'

const NODES = 1000
const LIMIT = 300
const ATTEMPTS = 7

/**
 * A workflow of 1,000 nodes that has run, run again: from the request to the answer that it has ended, as a client sees it. First by a
 * service that has just started, so that every result comes from the disk, then by the same again. A program that keeps count takes the
 * place of Python: nothing is computed.
 */
export async function cachedRun(): Promise<void> {
  await withService('cached', async ({ root, dataDir, start }) => {
    const { workflows } = await start()
    const id = await workflows.create(chain(NODES, oneCase(root)))
    const { status } = await workflows.run(id)
    if (status !== 'success') throw new Error(`the first run ended with ${status}`)

    const counting = join(REPOSITORY, 'packages/server/test-fixtures/node-worker.mjs')
    const restarted = await start({ arguments: ['--python', counting] })
    const times: number[] = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) times.push(await rerun(restarted.workflows, id))
    if (existsSync(join(dataDir, 'cache', 'computed.log'))) throw new Error('a worker was called')

    const [first = Number.NaN, ...again] = times
    const middle = again.sort((a, b) => a - b)[Math.floor(again.length / 2)] ?? Number.NaN
    report(`run ${NODES} cached nodes through REST, from the disk`, first, LIMIT)
    report(`run ${NODES} cached nodes through REST, again`, middle, LIMIT)
  })
}

/** Milliseconds from POST execute to the status of all nodes, asked for when the list of runs says that it is over. */
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
