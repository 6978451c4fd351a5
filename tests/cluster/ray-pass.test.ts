import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testPython } from '../../packages/server/testing/python.js'
import { type RayCluster, startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'
import { remoteWorkers, smallWorker } from '../../packages/server/testing/small-worker.js'
import { Place } from '../../packages/server/testing/training/training-service.js'
import { draw, startWorkflowService, statusesOf } from '../../packages/server/testing/workflows.js'
import { Caller } from '../testing/http.js'
import { REPOSITORY, startService } from '../testing/service.js'

/** Implements the protocol of the trainer without training; words in the name of a job define its behavior. */
const TRAINER = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')
const python = testPython()

// One short pass over one cluster: start, run, adopt, lose a node. Each of these separately, and every other fault, is in
// ray-training.test.ts and nodes-on-ray.cluster.test.ts, which are marked full.
describe.skipIf(testRay() === undefined || python === undefined)('a Ray cluster of two nodes', () => {
  let cluster: RayCluster
  let place: Place
  const endings: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    // Only the second node has room for the training, so the test knows which one to kill.
    cluster = await startRayCluster({ nodes: [{ cpus: 1 }, { cpus: 2 }], dashboard: true })
    place = new Place()
    const rows = Array.from({ length: 40 }, (_, row) => `"${row}","${row % 3 ? 'no' : 'yes'}"`)
    writeFileSync(join(place.root, 'train.csv'), `"case_id","label"\n${rows.join('\n')}\n`)
  })
  afterAll(async () => {
    for (const end of endings.reverse()) await end()
    place?.remove()
    await cluster?.close()
  })

  it('trains: the next service adopts the training, which continues when its node is lost and returns', async () => {
    const dataDir = join(place.path, 'training')
    const serve = async () => {
      const service = await startService({
        roots: [place.root],
        dataDir,
        arguments: [
          ...['--launcher', 'ray', '--ray-address', String(cluster.dashboard)],
          ...['--ray-token-file', cluster.tokenFile, '--cluster-python', TRAINER],
          ...['--stop-grace', '2', '--log-level', 'warn'],
        ],
      })
      endings.push(service.kill)
      return { caller: new Caller(service.url), kill: service.kill }
    }
    const first = await serve()
    const jobId = await first.caller.start(
      {
        data: { train_csv: 'train.csv' },
        model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
        training: { epochs: 50_000, batch_size: 4, num_workers: 2 },
      },
      'delay=60',
    )
    const { epoch } = await first.caller.until(jobId, (job) => job.epoch >= 1)
    await first.kill()

    const { caller } = await serve()
    const adopted = await caller.until(jobId, (job) => job.epoch > epoch)
    expect(adopted).toMatchObject({ status: 'running', attempt: 1 })
    await cluster.killNode(1)
    await expect.poll(async () => (await caller.status(jobId)).attempt).toBe(2)
    const { epoch: before } = await caller.status(jobId)
    await cluster.startNode(1)
    await caller.until(jobId, (job) => job.epoch > before)
    await caller.post(`/api/training/${jobId}/finish`)
    expect(await caller.ended(jobId)).toMatchObject({ status: 'completed', attempt: 2 })
    const events = (attempt: number) =>
      readFileSync(join(dataDir, 'runs', jobId, `events.${attempt}.jsonl`), 'utf8').split('\n')
    const beginnings = events(1).filter((line) => line.includes('"preparing"'))
    expect(beginnings).toHaveLength(1)
    const progress = events(2).find((line) => line.includes('"progress"'))
    expect(JSON.parse(progress ?? '{}').epoch).toBeGreaterThan(1)
  })

  it('computes nodes of workflows as this machine does, where their input is; a lost node costs one repetition', async () => {
    const worker = smallWorker(place.path, String(python))
    const names = ['a', 'b', 'c']
    const release = () => {
      for (const name of names) writeFileSync(join(place.path, name), '')
    }
    const branches = names.map((name) => [
      name,
      [
        'FilterData',
        { filter_condition: `hold=${join(place.path, name)} keep=${name === 'a' ? 'yes' : 'no'}` },
      ],
    ])
    const workflow = draw(
      { load: ['LoadTabular', { path: join(place.root, 'train.csv') }], ...Object.fromEntries(branches) },
      names.map((name) => `load.dataframe > ${name}.dataset`),
    )
    release()
    const here = await startWorkflowService({ root: place.root, dataDir: join(place.path, 'here') })
    endings.push(here.close)
    const local = await here.run(await here.create(workflow))
    for (const name of names) rmSync(join(place.path, name))

    const nodesOn = {
      ...{ address: cluster.address, tokenFile: cluster.tokenFile, python: cluster.python },
      ...{ nodePython: worker, workers: null, patienceSeconds: 60 },
    }
    const service = await startWorkflowService(
      { root: place.root, dataDir: join(place.path, 'there') },
      { python: worker, nodesOn },
    )
    endings.push(service.close)
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
    // All three cores compute one branch each.
    await expect.poll(() => names.map((name) => nodesOf(name).length)).toEqual([1, 1, 1])
    await expect.poll(() => remoteWorkers(place.path)).toHaveLength(3)
    const [source] = nodesOf('load')
    const sameNode = places().find(({ node, there }) => node !== 'load' && there === source)
    expect(sameNode?.message).toMatch(/; it has (\d+) of \1 bytes of the inputs$/)

    await cluster.killNode(1)
    await expect.poll(() => remoteWorkers(place.path)).toHaveLength(1)
    release()
    const state = await service.ended(id)
    socket.close()
    expect(statusesOf(state)).toEqual({ load: 'success', a: 'success', b: 'success', c: 'success' })
    const digests = ({ nodes }: typeof state) =>
      Object.values(nodes).flatMap(({ outputs }) => Object.values(outputs).map(({ digest }) => digest))
    expect(digests(state)).toEqual(digests(local))
    const runs = names.map(nodesOf).sort((one, other) => one.length - other.length)
    expect(runs.map(({ length }) => length)).toEqual([1, 2, 2])
    const [kept] = runs[0] ?? []
    for (const [lost, again] of runs.slice(1)) expect([lost === kept, again]).toEqual([false, kept])
  })
})
