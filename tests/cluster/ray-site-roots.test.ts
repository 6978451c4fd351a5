/** @module-tag full */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeState } from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RayCluster, startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { PYTHON, type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { runEnded, statuses, tableModel, Workflows, workflow } from '../testing/workflow.js'

const hasNamespaces = spawnSync('unshare', ['-rm', 'true']).status === 0
if (!hasNamespaces)
  console.warn('tests of nodes with the folders of the service elsewhere are skipped: no unshare -rm')

describe.skipIf(testRay() === undefined || !hasNamespaces)(
  'a Ray cluster that has the folders of the service under other paths',
  () => {
    let cluster: RayCluster
    /** Folder of the service: its nodes see an empty folder there. */
    const place = temporaryFolder('service')
    /** Folder of the nodes, with the content of the service's folder. */
    const mounted = temporaryFolder('mounted')
    const dataset = makeDataset(join(place, 'dataset'))
    const services: RunningService[] = []
    beforeAll(async () => {
      const mount = `mount --bind '${place}' '${mounted}' && mount -t tmpfs none '${place}' && exec "$@"`
      cluster = await startRayCluster({
        nodes: [{ cpus: 2 }],
        dashboard: true,
        place: { prefix: ['unshare', '-rm', 'sh', '-c', mount, 'sh'], address: '127.0.0.1' },
      })
    })
    afterEach(async () => {
      await Promise.all(services.splice(0).map((running) => running.stop()))
    })
    afterAll(async () => {
      await cluster?.close()
      for (const folder of [place, mounted]) rmSync(folder, { recursive: true, force: true })
    })

    const serve = async (name: string, flags: readonly string[] = []) => {
      const dataDir = join(place, name)
      const service = await startService({
        roots: [`lab=${dataset}`],
        dataDir,
        arguments: [...flags, '--log-level', 'warn'],
      })
      services.push(service)
      return { dataDir, workflows: new Workflows(new Caller(service.url)) }
    }
    const nodesOnRay = () => [
      ...['--nodes-on', 'ray', '--ray-head', cluster.address, '--ray-token-file', cluster.tokenFile],
      ...['--ray-python', cluster.python, '--cluster-python', PYTHON],
    ]
    const trainingsOnRay = () => ['--launcher', 'ray', '--ray-address', cluster.dashboard ?? '']
    const elsewhere = (name: string) => [
      ...['--site-root', `lab=${join(mounted, 'dataset')}`],
      ...['--site-root', `data=${join(mounted, name)}`],
    ]

    it('computes nodes and trains to the bits of a service that does it all itself', async () => {
      const document = everything(dataset)
      const local = await serve('local')
      const reference = await local.workflows.succeed(document)
      const ray = await serve('ray', [...nodesOnRay(), ...trainingsOnRay(), ...elsewhere('ray')])
      const id = await ray.workflows.create(document)
      const events = ray.workflows.listen(id, runEnded)
      const { nodes } = await ray.workflows.run(id)
      expect(statuses(nodes), JSON.stringify(nodes)).toEqual(statuses(reference.nodes))
      expect(results(nodes)).toEqual(results(reference.nodes))
      expect(nodes.images?.warnings).toHaveLength(1)
      const there = (await events).flatMap((message) =>
        message.type === 'log' && /^running on node \w+ of the cluster/.test(message.message)
          ? [message.node]
          : [],
      )
      // EvaluateModel uses a device of the service: it is computed here, with the paths of the service.
      expect([...new Set(there)].sort()).toEqual([
        'classes',
        'images',
        'keep',
        'model',
        'save',
        'table',
        'test',
      ])
      expect(weightsOf(ray.dataDir)).toEqual(weightsOf(local.dataDir))
      // The paths of the nodes exist only on the nodes.
      expect(existsSync(join(mounted, 'dataset'))).toBe(false)
    })

    it('without --site-root a node does not find its table there', async () => {
      const { workflows } = await serve('ray-without', nodesOnRay())
      const id = await workflows.create(
        workflow({ table: ['LoadTabular', { path: join(dataset, 'train.csv') }] }),
      )
      expect((await workflows.run(id)).nodes.table?.error).toMatchObject({ type: 'FILE_NOT_FOUND' })
    })
  },
)

/** Tables, images and datasets by path, a training on their results, and nodes that read its checkpoint. */
function everything(dataset: string) {
  const model = tableModel()
  return workflow(
    {
      ...model.nodes,
      table: ['LoadTabular', { path: join(dataset, 'train.csv') }],
      test: ['LoadTabular', { path: 'test.csv' }],
      // Produces a warning about the tables next to the images.
      images: ['LoadImage', { path: dataset }],
      classes: ['LoadDataset', { dataset_id: join(dataset, 'val.csv') }],
      keep: ['FilterData', { filter_condition: 'age > 10' }],
      evaluate: ['EvaluateModel'],
      save: ['SaveModel', { quantization: 'int8' }],
    },
    [
      ...model.wires,
      'table.dataframe > keep.dataset',
      'keep.filtered_dataset > train.train_dataset',
      'train.trained_model > evaluate.model',
      'test.dataframe > evaluate.test_dataset',
      'train.trained_model > save.model',
    ],
  )
}

/** Digests and warnings; for outputs that contain the job id, which differs each time, their displayed summary. */
function results(nodes: Record<string, NodeState>) {
  const named = ['trained_model', 'best_checkpoint', 'metrics', 'model_path']
  return Object.fromEntries(
    Object.entries(nodes).flatMap(([node, { outputs, warnings }]) => [
      [`${node} warns`, warnings],
      ...Object.entries(outputs).map(([port, { digest, summary }]) => [
        `${node}.${port}`,
        named.includes(port) ? summary : digest,
      ]),
    ]),
  )
}

/** Files named by their digests. */
function weightsOf(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'runs')).flatMap((job) =>
    readdirSync(join(dataDir, 'runs', job, 'checkpoints/best')).filter((file) => file.startsWith('model.')),
  )
}
