import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrainingConfig } from '@medloom/contracts'
import { afterAll, describe, expect, it } from 'vitest'
import { createRoots } from '../../security/roots.js'
import { RunDirectory } from '../../storage/run-directory.js'
import { fileExchanges } from './file-exchange.js'
import { rootsOnNodes, SitePaths, siteOfNodes, siteOfTrainings } from './site-paths.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-site-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [study, other, data] = ['study', 'other', 'data'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
for (const root of [study, other]) {
  mkdirSync(root)
  writeFileSync(join(root, 'train.csv'), 'label\n')
}
const roots = createRoots([study, other], data)
const site = new SitePaths(roots.named, { study: '/mnt/study', '@data': '/scratch/medloom' })
const SITE = { study: '/mnt/study', data: '/d' }
const nodesOn = { address: 'auto', python: 'python', workers: null, tokenFile: null, nodePython: 'python' }
const configOf = (train_csv: string, pretrained: boolean | string = false) =>
  TrainingConfig.parse({
    data: { train_csv },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate', pretrained },
    training: { epochs: 1, batch_size: 2 },
  })
const exchange = (jobId: string) =>
  fileExchanges({
    folder: { run: (id) => new RunDirectory(join(data, 'runs', id)), cache: join(data, 'cache') },
    roots: roots.folders,
    site,
  })(jobId)

describe('the spec for a node', () => {
  it('has the folders of the node, and the configuration unchanged', async () => {
    const [jobId, before] = [randomUUID(), randomUUID()]
    const config = configOf(join(study, 'train.csv'))
    const order = { job_name: 'a', attempt: 1, config, resumed_from: before }
    expect(await exchange(jobId).putSpec(order)).toEqual({ spec: `/scratch/medloom/runs/${jobId}/spec.json` })
    const spec = JSON.parse(readFileSync(join(data, 'runs', jobId, 'spec.json'), 'utf8'))
    expect(spec).toMatchObject({
      run_dir: `/scratch/medloom/runs/${jobId}`,
      cache_dir: '/scratch/medloom/cache',
      resume_from: `/scratch/medloom/runs/${before}/checkpoints/last`,
      roots: ['/mnt/study'],
      config: { data: { train_csv: join(study, 'train.csv') } },
    })
    expect(spec.places).toEqual([
      { named: study, here: '/mnt/study' },
      { named: data, here: '/scratch/medloom' },
    ])
  })

  it.each([
    ['a table', configOf(join(other, 'train.csv')), 'data.train_csv'],
    ['weights', configOf(join(study, 'train.csv'), join(other, 'w.safetensors')), 'model.pretrained'],
  ])('is refused where the nodes do not have %s, and nothing is written', async (_, config, place) => {
    const jobId = randomUUID()
    await expect(
      exchange(jobId).putSpec({ job_name: 'a', attempt: 1, config, resumed_from: null }),
    ).rejects.toMatchObject({ code: 'PATH_NOT_ON_NODES', message: expect.stringContaining(place) })
    expect(() => readFileSync(join(data, 'runs', jobId, 'config.yaml'))).toThrow()
  })
})

describe('a request', () => {
  it('may name only paths that the nodes have', async () => {
    const onNodes = rootsOnNodes(roots, site)
    expect(await onNodes.resolveTable('train.csv', 'data.train_csv')).toBe(join(study, 'train.csv'))
    await expect(onNodes.resolveTable(join(other, 'train.csv'), 'data.val_csv')).rejects.toMatchObject({
      code: 'PATH_NOT_ON_NODES',
      details: expect.stringContaining('--site-root'),
    })
    expect(rootsOnNodes(roots, undefined)).toBe(roots)
  })
})

describe('--site-root', () => {
  it('names roots, or the data folder as data', () => {
    const named = siteOfTrainings({ siteRoots: SITE, launcher: 'slurm' }, roots.named)
    expect(named?.find(join(data, 'runs/1'))).toBe('/d/runs/1')
    expect(named?.find(join(study, 'a/b.png'))).toBe('/mnt/study/a/b.png')
    expect(named?.find(other)).toBeNull()
    expect(siteOfTrainings({ launcher: 'slurm' }, roots.named)).toBeUndefined()
  })

  it.each([
    ['trainings on a cluster', { launcher: 'slurm' }, [true, false]],
    ['nodes on a cluster', { nodesOn }, [false, true]],
    ['both', { launcher: 'ray', nodesOn }, [true, true]],
    [
      'nodes on a cluster whose trainings fetch their data',
      { launcher: 'ray', exchange: 'http', nodesOn },
      [false, true],
    ],
  ] as const)('applies to %s', (_, settings, [trainings, nodes]) => {
    const given = { siteRoots: SITE, ...settings }
    expect(siteOfTrainings(given, roots.named) !== undefined).toBe(trainings)
    const site = siteOfNodes(given, roots.named)
    expect(site !== undefined).toBe(nodes)
    if (nodes) expect(site?.toSite(join(data, 'cache'), 'the cache')).toBe('/d/cache')
  })

  it.each([
    ['a name that no root has', { siteRoots: { studie: '/x' }, launcher: 'slurm' }, 'Known: data, study'],
    ['a service that runs everything itself', { siteRoots: { study: '/x' } }, '--launcher or --nodes-on'],
  ])('is refused for %s', (_, settings, remedy) => {
    expect(() => siteOfTrainings(settings, roots.named)).toThrow(
      expect.objectContaining({ name: 'StartError', remedy: expect.stringContaining(remedy) }),
    )
  })

  it('is refused for nodes that would not have the data folder', () => {
    const settings = { siteRoots: { study: '/x' }, nodesOn }
    expect(() => siteOfNodes(settings, roots.named)).toThrow(
      expect.objectContaining({ name: 'StartError', remedy: expect.stringContaining('data=') }),
    )
  })
})
