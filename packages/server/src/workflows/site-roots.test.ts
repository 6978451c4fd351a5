/** @module-tag service */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Place } from '../../testing/training/training-service.js'
import { type Drawn, draw, startWorkflowService } from '../../testing/workflows.js'
import type { Settings } from '../settings.js'

const place = new Place()
const shared = place.root
const own = join(place.path, 'own')
let service: Awaited<ReturnType<typeof startWorkflowService>>
beforeAll(() => {
  mkdirSync(own)
  for (const folder of [shared, own]) writeFileSync(join(folder, 'train.csv'), 'age,label\n40,yes\n')
})
afterEach(() => service?.close())
afterAll(() => place.remove())

const nodesOn = {
  ...{ address: '127.0.0.1:1', python: join(place.path, 'no-python'), nodePython: 'python' },
  ...{ workers: null, tokenFile: null },
}
const start = async (settings: Partial<Settings>) => {
  service = await startWorkflowService(place, { roots: [shared, own], ...settings })
}
const issuesOf = async (node: Drawn[string]) => {
  const { body } = await service.send<{ issues: object[] }>('POST', '/api/workflow/create', draw({ a: node }))
  return body.issues
}

test.each<[string, Drawn[string], string]>([
  ['a table', ['LoadTabular', { path: join(own, 'train.csv') }], 'path'],
  ['a folder of images', ['LoadImage', { path: own }], 'path'],
  ['a dataset', ['LoadDataset', { dataset_id: join(own, 'train.csv') }], 'dataset_id'],
  ['weights', ['SelectBackbone', { pretrained: join(own, 'train.csv') }], 'pretrained'],
])('%s in a folder that the cluster does not have is refused before a node runs', async (_, node, field) => {
  await start({ nodesOn, siteRoots: { root: '/mnt/study', data: '/scratch/medloom' } })
  expect(await issuesOf(node)).toContainEqual(
    expect.objectContaining({
      ...{ path: `nodes.a.config.${field}`, code: 'PATH_NOT_ON_NODES', severity: 'error' },
      hint: expect.stringContaining('--site-root'),
    }),
  )
  const [type, config = {}] = node
  const inShared = Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, String(value).replace(own, shared)]),
  )
  expect(await issuesOf([type, inShared])).not.toContainEqual(
    expect.objectContaining({ code: 'PATH_NOT_ON_NODES' }),
  )
})

test('if nodes are computed here, every root may be named, whatever trainings use', async () => {
  await start({
    siteRoots: { root: '/mnt/study', data: '/scratch/medloom' },
    launcher: 'ray',
    rayAddress: 'http://127.0.0.1:1',
  })
  expect(await issuesOf(['LoadTabular', { path: join(own, 'train.csv') }])).toEqual([])
})

test('without the data folder nodes could not run there, and the service does not start', async () => {
  await expect(start({ nodesOn, siteRoots: { root: '/mnt/study' } })).rejects.toMatchObject({
    name: 'StartError',
    remedy: expect.stringContaining('--site-root data='),
  })
})
