import { join } from 'node:path'
import type { NodeCatalog } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { type Nodes, Workflows, workflow } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(shared.url))
const dataset = shared.dataset
const csv = join(dataset, 'train.csv')

/** One node per type of output, and one per type of input. */
const GIVES: Record<string, [type: string, config: Record<string, unknown>, port: string]> = {
  dataset: ['LoadDataset', { dataset_id: csv }, 'dataset'],
  image: ['LoadImage', { path: join(dataset, 'images') }, 'images'],
  tabular: ['LoadTabular', { path: csv }, 'dataframe'],
  config: ['ConfigureTraining', {}, 'training_config'],
  path: ['LoadImage', { path: join(dataset, 'images') }, 'paths'],
}
const TAKES: Record<string, [type: string, port: string]> = {
  dataset: ['DataSplit', 'dataset'],
  image: ['ImagePreprocess', 'images'],
  tabular: ['TabularPreprocess', 'dataframe'],
  any: ['SaveWorkflow', 'workflow'],
  metrics: ['VisualizeResults', 'metrics'],
}

/** from ─► to, and what the service says about the connection. */
async function connect(from: string, to: string) {
  const [givenBy = '', config = {}, out] = GIVES[from] ?? []
  const [takenBy = '', into] = TAKES[to] ?? []
  const nodes: Nodes = { from: [givenBy, config], to: [takenBy] }
  const issues = await workflows.issues(workflow(nodes, [`from.${out} > to.${into}`]))
  return issues.filter(({ connection }) => connection === 'c1')
}

let catalog: NodeCatalog
beforeAll(async () => {
  catalog = (await workflows.caller.get<NodeCatalog>('/api/nodes')).body
})

describe('2.11 Data types on ports', () => {
  it('are image, tabular, dataset, model, config, metrics, path, tensor and any', () => {
    expect(catalog.port_types).toEqual([
      'image',
      'tabular',
      'dataset',
      'model',
      'config',
      'metrics',
      'path',
      'tensor',
      'any',
    ])
    const used = new Set(
      catalog.nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs].map(({ type }) => type)),
    )
    for (const type of used)
      expect([...catalog.port_types, ...Object.keys(catalog.composites)]).toContain(type)
  })

  it('multimodal is image + tabular; training data is dataset + config', () => {
    expect(catalog.composites).toEqual({
      multimodal: ['image', 'tabular'],
      training_data: ['dataset', 'config'],
    })
  })

  it('every conversion says how, and whether something is lost; what is not listed is refused', () => {
    for (const { how, lossless } of catalog.conversions)
      expect([how.length > 5, typeof lossless]).toEqual([true, 'boolean'])
    const pairs = catalog.conversions.map(({ from, to }) => `${from}>${to}`)
    expect(new Set(pairs).size).toBe(pairs.length)
    expect(pairs).not.toContain('path>dataset')
    expect(pairs).not.toContain('model>dataset')
  })

  it.each([
    ['dataset', 'dataset'],
    ['dataset', 'image'],
    ['dataset', 'tabular'],
    ['image', 'dataset'],
    ['tabular', 'dataset'],
    ['image', 'tabular'],
    ['tabular', 'image'],
    ['dataset', 'any'],
    ['path', 'any'],
    ['config', 'any'],
  ])('%s passes into a port of %s', async (from, to) => {
    expect(await connect(from, to)).toEqual([])
  })

  it.each([
    ['path', 'dataset'],
    ['config', 'dataset'],
    ['config', 'image'],
    ['tabular', 'metrics'],
    ['dataset', 'metrics'],
  ])('%s is refused at a port of %s: both types are named, and what would help', async (from, to) => {
    const [issue, ...others] = await connect(from, to)
    expect(others).toEqual([])
    expect(issue).toMatchObject({ severity: 'error', code: 'TYPE_MISMATCH' })
    expect(issue?.message).toContain(from)
    expect(issue?.message).toContain(to)
    expect(issue?.hint?.length).toBeGreaterThan(10)
  })

  it('a data set that passes through a node of images is still a data set with table and labels', async () => {
    // load ─► images ─► table ─► filter on a column of the table
    const { nodes } = await workflows.succeed(
      workflow(
        {
          load: ['LoadDataset', { dataset_id: csv }],
          images: ['ImagePreprocess', { resize: { width: 32, height: 32 } }],
          table: ['TabularPreprocess'],
          keep: ['FilterData', { filter_condition: 'sex = "female"' }],
        },
        [
          'load.dataset > images.images',
          'images.processed_images > table.dataframe',
          'table.processed_data > keep.dataset',
        ],
      ),
    )
    expect(nodes.images?.outputs.processed_images?.type).toBe('image')
    expect(nodes.keep?.outputs.filtered_dataset?.type).toBe('dataset')
  })

  it('images and a table that meet in one port are joined by case', async () => {
    // load ─┬─► images ─┐
    //       └─► table ──┴─► split
    const { nodes } = await workflows.succeed(
      workflow(
        {
          load: ['LoadDataset', { dataset_id: csv }],
          images: ['ImagePreprocess', { resize: { width: 32, height: 32 } }],
          table: ['TabularPreprocess'],
          all: ['DataSplit', { train_ratio: 1, val_ratio: 0, test_ratio: 0 }],
        },
        [
          'load.dataset > images.images',
          'load.dataset > table.dataframe',
          'images.processed_images > all.dataset',
          'table.processed_data > all.dataset',
        ],
      ),
    )
    const cases = (summary?: string) => Number(/(\d[\d,]*) cases/.exec(summary ?? '')?.[1]?.replace(',', ''))
    expect(cases(nodes.all?.outputs.train_dataset?.summary)).toBe(cases(nodes.load?.outputs.dataset?.summary))
  })

  it('two connections of the same kind into one port are refused', async () => {
    const issues = await workflows.issues(
      workflow(
        {
          a: ['LoadDataset', { dataset_id: csv }],
          b: ['LoadDataset', { dataset_id: join(dataset, 'val.csv') }],
          split: ['DataSplit'],
        },
        ['a.dataset > split.dataset', 'b.dataset > split.dataset'],
      ),
    )
    expect(issues).toEqual([expect.objectContaining({ severity: 'error', node: 'split', port: 'dataset' })])
  })
})
