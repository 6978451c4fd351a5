/** @module-tag full */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowStatus } from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { processesWith } from '../../../testing/processes.js'
import { testPython } from '../../../testing/python.js'
import { type RayCluster, startRayCluster, testRay } from '../../../testing/ray-cluster.js'
import { remoteWorkers, smallWorker } from '../../../testing/small-worker.js'
import { Place } from '../../../testing/training/training-service.js'
import { draw, startWorkflowService, statusesOf } from '../../../testing/workflows.js'

const python = testPython() ?? ''
const canRun = testRay() !== undefined && python !== ''

let cluster: RayCluster
let place: Place
let service: Awaited<ReturnType<typeof startWorkflowService>>

beforeAll(async () => {
  if (canRun) cluster = await startRayCluster({ nodes: [{ cpus: 1 }, { cpus: 1 }] })
})
afterAll(() => cluster?.close())
beforeEach(() => {
  place = new Place()
  const rows = Array.from({ length: 40 }, (_, row) => `"${row}","${40 + row}","${row % 3 ? 'no' : 'yes'}"`)
  writeFileSync(join(place.root, 'train.csv'), `"case_id","age","label"\n${rows.join('\n')}\n`)
})
afterEach(async () => {
  await service?.close()
  place.remove()
})

const small = () => smallWorker(place.path, python)
const workers = () => remoteWorkers(place.path)
const hold = (name: string) => `hold=${join(place.path, name)}`
const release = (name: string) => writeFileSync(join(place.path, name), '')

/** @param worker program that computes nodes there, and the tasks here */
async function startOnCluster(worker: string, { dataDir = place.dataDir, patienceSeconds = 60 } = {}) {
  const { address, tokenFile, python: rayPython } = cluster
  const nodesOn = {
    ...{ address, tokenFile, python: rayPython, nodePython: worker },
    ...{ workers: null, patienceSeconds },
  }
  service = await startWorkflowService({ root: place.root, dataDir }, { python: worker, nodesOn })
}

/** load ─► a, b, c …, in parallel */
function branches(conditions: Readonly<Record<string, string>>) {
  const filters = Object.entries(conditions).map(
    ([name, filter_condition]) => [name, ['FilterData', { filter_condition }]] as const,
  )
  return draw(
    { load: ['LoadTabular', { path: join(place.root, 'train.csv') }], ...Object.fromEntries(filters) },
    filters.map(([name]) => `load.dataframe > ${name}.dataset`),
  )
}

function digests({ nodes }: WorkflowStatus) {
  return Object.entries(nodes).flatMap(([node, { outputs }]) =>
    Object.entries(outputs).map(([port, { digest }]) => `${node}.${port} ${digest}`),
  )
}

/** Executes a workflow; `nodesOf` returns the nodes of the cluster on which one of its nodes has run so far. */
async function begin(workflow: object) {
  const id = await service.create(workflow)
  const { socket, messages } = service.listen(id)
  await new Promise((opened) => socket.once('open', opened))
  await service.execute(id)
  const places = () =>
    messages.flatMap((message) => {
      if (message.type !== 'log') return []
      const [, there] = /^running on node (\w+) of the cluster/.exec(message.message) ?? []
      return there === undefined ? [] : [{ node: message.node, there, message: message.message }]
    })
  const nodesOf = (name: string) => places().flatMap(({ node, there }) => (node === name ? [there] : []))
  const begun = (name: string, times = 1) => expect.poll(() => nodesOf(name)).toHaveLength(times)
  const ended = async () => {
    const state = await service.ended(id)
    socket.close()
    return state
  }
  return { id, places, nodesOf, begun, ended }
}

describe.skipIf(!canRun)('nodes of workflows on a Ray cluster', () => {
  it('three branches give the same artifacts as on this machine, and run where their input is', async () => {
    const workflow = branches({ a: 'age > 45', b: 'age > 55', c: 'age < 70' })
    service = await startWorkflowService(place, { python })
    const local = await service.run(await service.create(workflow))
    await service.close()

    await startOnCluster(python, { dataDir: join(place.path, 'other-data') })
    const run = await begin(workflow)
    const state = await run.ended()
    expect(statusesOf(state)).toEqual({ load: 'success', a: 'success', b: 'success', c: 'success' })
    expect(digests(state)).toEqual(digests(local))
    // A branch runs where the table was written, so its input is already there.
    const [source] = run.nodesOf('load')
    const sameNode = run.places().find(({ node, there }) => node !== 'load' && there === source)
    expect(sameNode?.message).toMatch(/; it has (\d+) of \1 bytes of the inputs$/)
  })

  it('a canceled one ends at once, with its process', async () => {
    await startOnCluster(small())
    const run = await begin(branches({ a: 'forever' }))
    await run.begun('a')
    await expect.poll(workers).toHaveLength(1)
    await service.cancel(run.id)
    expect((await run.ended()).status).toBe('cancelled')
    await expect.poll(workers).toEqual([])
  })

  it('a crashed process fails the node as on this machine', async () => {
    await startOnCluster(small())
    const run = await begin(branches({ a: 'crash' }))
    const message = expect.stringContaining('exit code 7')
    expect((await run.ended()).nodes.a?.error).toMatchObject({ type: 'TRAINER_FAILED', message })
    expect(run.nodesOf('a')).toHaveLength(1)
  })

  it('killing an idle process fails no node', async () => {
    await startOnCluster(small())
    expect((await service.run(await service.create(branches({ a: 'keep=yes' })))).status).toBe('success')
    const idle = workers()
    expect(idle).not.toHaveLength(0)
    for (const { pid } of idle) process.kill(pid, 'SIGKILL')
    await expect.poll(workers).toEqual([])
    expect((await service.run(await service.create(branches({ a: 'keep=no' })))).status).toBe('success')
  })

  it('a node whose actor is killed is computed a second time', async () => {
    await startOnCluster(small())
    const run = await begin(branches({ a: `${hold('a')} keep=yes` }))
    await run.begun('a')
    await expect.poll(workers).toHaveLength(1)
    for (const { parent: actor } of workers()) process.kill(actor, 'SIGKILL')
    await run.begun('a', 2)
    release('a')
    expect((await run.ended()).status).toBe('success')
  })

  it('a killed gateway is restarted; its workers end, and tasks in progress are repeated', async () => {
    await startOnCluster(small())
    const run = await begin(branches({ a: `${hold('a')} keep=yes` }))
    await run.begun('a')
    await expect.poll(workers).toHaveLength(1)
    const before = workers().map(({ pid }) => pid)
    const gateways = processesWith('medloom_trainer.worker.gateway')
    const own = gateways.filter(({ parent }) => parent === process.pid)
    expect(own).toHaveLength(1)
    for (const { pid } of own) process.kill(pid, 'SIGKILL')
    await run.begun('a', 2)
    await expect.poll(() => workers().filter(({ pid }) => before.includes(pid))).toEqual([])
    release('a')
    expect((await run.ended()).status).toBe('success')
    await service.close()
    await expect.poll(workers).toEqual([])
  })

  it('two branches run on two machines at once; the loss of one costs one repetition', async () => {
    await startOnCluster(small())
    const run = await begin(branches({ a: `${hold('a')} keep=yes`, b: `${hold('b')} keep=no` }))
    await run.begun('a')
    await run.begun('b')
    await expect.poll(workers).toHaveLength(2)
    expect(run.nodesOf('a')).not.toEqual(run.nodesOf('b'))
    await cluster.killNode(1)
    await expect.poll(workers).toHaveLength(1)
    release('a')
    release('b')
    expect((await run.ended()).status).toBe('success')
    const [once = [], twice = []] = [run.nodesOf('a'), run.nodesOf('b')].sort((x, y) => x.length - y.length)
    expect([once.length, twice.length]).toEqual([1, 2])
    expect(twice[1]).toBe(once[0])
  })

  it('without a cluster a node reports it; when the cluster is back, nodes run', async () => {
    await cluster.killNode(0)
    await startOnCluster(small(), { patienceSeconds: 1 })
    const run = await begin(branches({ a: 'keep=4' }))
    const { nodes } = await run.ended()
    expect(nodes.load?.error).toMatchObject({
      type: 'CLUSTER_UNREACHABLE',
      message: expect.stringContaining(cluster.address),
    })
    await cluster.startNode(0)
    await expect.poll(async () => (await service.run(run.id)).status).toBe('success')
  })
})
