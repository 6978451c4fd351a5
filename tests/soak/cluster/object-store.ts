import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'
import type { Load } from './load.js'

const PROGRAM = fileURLToPath(new URL('fill_object_stores.py', import.meta.url))

/** The object store of every node is full, and Ray must not spill it to disk: trainings, also one on two nodes, and a workflow continue. */
export async function objectStoresAreFull(
  deployment: Deployment,
  load: Load,
  promises: Promises,
): Promise<string> {
  await load.accept(1, 60)
  const { holder, held } = await fill(deployment)
  try {
    const least = Math.min(...held)
    promises.check('the store of each node is full', held.length === 3 && least > FULL, held.join(' '))
    await load.accept(1)
    await load.train(load.ofTable({ epochs: 10, device: 'cpu:1x2', num_workers: null }))
    await load.run()
    for (const jobId of load.jobs) await load.ended(jobId)
    return `${Math.round(least / 1e6)} MB or more held on each of ${held.length} nodes`
  } finally {
    holder.stdin?.end()
    await once(holder, 'exit')
  }
}

/** Bytes: out of 100 MB per node in the tests. */
const FULL = 80e6

/** @returns the process that holds the objects, and the number of bytes on each node */
async function fill({ ray }: Deployment): Promise<{ holder: ChildProcess; held: number[] }> {
  if (!ray) throw new Error('there is no Ray cluster')
  const holder = spawn(ray.python, [PROGRAM, ray.address], {
    env: { ...process.env, ...ray.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(holder.stdout))
    return { holder, held: line.split(' ').map(Number) }
  throw new Error('the object stores could not be filled')
}
