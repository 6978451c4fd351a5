import type { Promises } from '../promises.js'
import { type Deployment, LAST_NODE } from './deployment.js'
import type { Load } from './load.js'
import { checkSameHere } from './same-here.js'

/** A training with one process on each of two nodes, one of which is lost. */
export async function groupLosesNode(
  deployment: Deployment,
  load: Load,
  promises: Promises,
): Promise<string> {
  const on = (device: string) => load.ofTable({ epochs: 60, device, num_workers: null })
  const jobId = await load.train(on('cpu:1x2'))
  const { epoch } = await load.until(jobId, ({ epoch }) => epoch >= 2)
  await deployment.loseNode(LAST_NODE)
  const job = await load.ended(jobId)
  promises.check(
    'a group that lost a node goes on as the next attempt',
    job.attempt === 2,
    `attempt ${job.attempt}`,
  )
  await checkSameHere(deployment, promises, [{ config: on('cpu:2'), job }])
  return `lost after epoch ${epoch}, the bits of two processes on this machine`
}
