import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { fill } from '../disk/fill.js'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'
import type { Load } from './load.js'

/** The disk of a node fills up during a training, and is freed again. */
export async function nodeDiskFillsUp({ disk }: Deployment, load: Load, promises: Promises): Promise<string> {
  if (!disk) throw new Error('the node needs a disk of its own')
  const fillUp = (name: string) => fill(join(disk.folder, name))
  const completes = async (promise: string, jobId: string) => {
    const { status, error } = await load.ended(jobId)
    promises.check(promise, status === 'completed', JSON.stringify(error))
  }
  const onDisk = load.ofTable({ epochs: 150, num_workers: CORES_OF_LAST_NODE })
  const during = await load.train(onDisk)
  const elsewhere = await load.train(load.ofTable({ epochs: 150 }))
  await load.until(during, ({ epoch }) => epoch >= 2)
  const fillers = [fillUp('filler')]
  const failed = await load.ended(during)
  checkTold(promises, failed)
  // It has removed its files.
  fillers.push(fillUp('filler-2'))
  checkTold(promises, await load.ended(await load.train(onDisk)))
  for (const filler of fillers) rmSync(filler)
  await completes('others are not concerned', elsewhere)
  await completes('a later training on that node completes when there is room', await load.train(onDisk))
  await completes('the failed one can be resumed when there is room', await load.resume(during))
  return `DISK_FULL after epoch ${failed.epoch} and before one: "${failed.error?.message}"`
}

/** No other node fits a training with this many cores. */
const CORES_OF_LAST_NODE = 3

function checkTold(promises: Promises, { error, status }: Job): void {
  promises.check(
    'a training that the full disk of its node ends is told as DISK_FULL, which has a remedy',
    status === 'failed' && error?.code === 'DISK_FULL',
    JSON.stringify(error),
  )
}
