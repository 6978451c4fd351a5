import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowMessage } from '@medloom/contracts'
import { processesWith } from '../../../packages/server/testing/processes.js'
import { workflow as draw, runEnded, Workflows } from '../../testing/workflow.js'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'
import type { Load } from './load.js'

/** kill -9 of the actor that computes a workflow node. */
export async function actorIsKilled(deployment: Deployment, load: Load, promises: Promises): Promise<string> {
  const workflows = new Workflows(deployment.api(0))
  const id = await workflows.create(
    draw(
      {
        load: ['LoadTabular', { path: makeLargeTable(deployment) }],
        young: ['FilterData', { filter_condition: 'age < 50' }],
        old: ['FilterData', { filter_condition: 'age >= 50' }],
      },
      ['load.dataframe > young.dataset', 'load.dataframe > old.dataset'],
    ),
  )
  const events = workflows.listen(id, runEnded)
  const placed = workflows.listen(id, saysWhere)
  await load.execute(id)
  await placed
  process.kill(await actor(deployment), 'SIGKILL')
  const places = (await events).filter(saysWhere)
  promises.check(
    'a node whose actor is killed is computed once more',
    places.length === 2,
    JSON.stringify(places),
  )
  return 'its node was computed once more'
}

function saysWhere(message: WorkflowMessage): boolean {
  return message.type === 'log' && message.node === 'load' && message.message.startsWith('running on node ')
}

/** The Ray process next to the computing worker. */
async function actor({ ray }: Deployment): Promise<number> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const worker = processesWith('medloom_trainer\0worker').find(({ pid }) => (ray?.nodeOf(pid) ?? -1) >= 0)
    if (worker) return worker.parent
  }
  throw new Error('no actor within a minute')
}

const ROWS = 400_000

/** A table that takes seconds to read. @returns its path */
function makeLargeTable({ options }: Deployment): string {
  const path = join(options.dataset, 'large.csv')
  const rows = Array.from({ length: ROWS }, (_, row) => `${row},${row % 100},${row % 3 ? 'no' : 'yes'}`)
  writeFileSync(path, `case_id,age,label\n${rows.join('\n')}\n`)
  return path
}
