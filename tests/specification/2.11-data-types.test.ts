import { join } from 'node:path'
import type { NodeCatalog, Workflow } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { type Nodes, tableModel, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const workflows = new Workflows(new Caller(shared.url))
const dataset = shared.dataset
const csv = join(dataset, 'train.csv')

/** One node per output type, and one per input type. */
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
  metrics: ['VisualizeResults', 'metrics'],
}

/** from ─► to, and the service's issues of the connection. */
async function connect(from: string, to: string) {
  const [givenBy = '', config = {}, out] = GIVES[from] ?? []
  const [takenBy = '', into] = TAKES[to] ?? []
  const nodes: Nodes = { from: [givenBy, config], to: [takenBy] }
  const issues = await workflows.issues(workflow(nodes, [`from.${out} > to.${into}`]))
  return issues.filter(({ connection }) => connection === 'c1')
}

/** One workflow with every conversion. The models read only the table, for one epoch. */
function everyConversion(): Workflow {
  const small = { resize: { width: 32, height: 32 } }
  const { nodes, wires } = tableModel(1)
  const anything = [
    ...['images.processed_images', 'table.processed_data', 'all.train_dataset', 'model.model'],
    ...['settings.training_config', 'evaluate.metrics', 'plots.plots', 'evaluate.confusion_matrix'],
  ]
  const ids = anything.map((_, i) => `kept${i}`)
  return workflow(
    {
      ...nodes,
      settings: ['ConfigureTraining', { epochs: 1, batch_size: 30 }],
      load: ['LoadDataset', { dataset_id: csv }],
      validation: ['LoadDataset', { dataset_id: join(dataset, 'val.csv') }],
      test: ['LoadDataset', { dataset_id: join(dataset, 'test.csv') }],
      images: ['ImagePreprocess', small],
      table: ['TabularPreprocess'],
      imagesAgain: ['DataAugmentation'],
      imagesOfTable: ['DataAugmentation'],
      tableOfImages: ['TabularPreprocess'],
      tableAgain: ['TabularPreprocess'],
      rowsOfTable: ['FilterData', { filter_condition: 'case_id is not missing' }],
      all: ['DataSplit', { train_ratio: 1, val_ratio: 0, test_ratio: 0 }],
      both: ['MergeDatasets'],
      trainJoined: ['TrainModel', { allow_leakage: true }],
      testImages: ['ImagePreprocess', small],
      testTable: ['TabularPreprocess'],
      evaluate: ['EvaluateModel'],
      plots: ['VisualizeResults', { plot_types: ['confusion_matrix'] }],
      report: ['GenerateReport', { template: 'short' }],
      ...Object.fromEntries(ids.map((id) => [id, ['SaveWorkflow', { path: `conversions/${id}.json` }]])),
    },
    [
      ...wires.filter((wire) => !wire.includes('training_config')),
      'load.dataset > images.images',
      'load.dataset > table.dataframe',
      'images.processed_images > imagesAgain.images',
      'table.processed_data > imagesOfTable.images',
      'images.processed_images > tableOfImages.dataframe',
      'table.processed_data > tableAgain.dataframe',
      'images.processed_images > all.dataset',
      'table.processed_data > rowsOfTable.dataset',
      'all.train_dataset > both.dataset1',
      'validation.dataset > both.dataset2',
      // Training data and its configuration at one port; followed by images, a table and the configuration.
      'load.dataset > train.train_dataset',
      'settings.training_config > train.train_dataset',
      'validation.dataset > train.val_dataset',
      'model.model > trainJoined.model',
      'images.processed_images > trainJoined.train_dataset',
      'table.processed_data > trainJoined.train_dataset',
      'settings.training_config > trainJoined.train_dataset',
      'test.dataset > testImages.images',
      'test.dataset > testTable.dataframe',
      'trainJoined.trained_model > evaluate.model',
      'testImages.processed_images > evaluate.test_dataset',
      'testTable.processed_data > evaluate.test_dataset',
      'evaluate.metrics > plots.metrics',
      'evaluate.confusion_matrix > plots.confusion_matrix',
      'evaluate.metrics > report.metrics',
      'plots.plots > report.plots',
      'model.model_summary > report.model_summary',
      ...anything.map((output, i) => `${output} > ${ids[i]}.workflow`),
    ],
  )
}

let catalog: NodeCatalog
beforeAll(async () => {
  catalog = (await workflows.caller.get<NodeCatalog>('/api/nodes')).body
})

describe('2.11 Data types on ports', () => {
  it('are image, tabular, dataset, model, config, metrics, path, tensor and any', shows('2.11/types'), () => {
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

  it(
    'multimodal is image + tabular; training data is dataset + config',
    shows('2.11/multimodal', '2.11/training-data'),
    () => {
      expect(catalog.composites).toEqual({
        multimodal: ['image', 'tabular'],
        training_data: ['dataset', 'config'],
      })
    },
  )

  it('every conversion is documented and lossless; others are refused', () => {
    for (const { how, lossless } of catalog.conversions)
      expect([how, lossless]).toEqual([expect.stringMatching(/\w+ \w+/), true])
    const pairs = catalog.conversions.map(({ from, to }) => `${from}>${to}`)
    expect(new Set(pairs).size).toBe(pairs.length)
    expect(pairs).not.toContain('path>dataset')
    expect(pairs).not.toContain('model>dataset')
  })

  it.each([
    ['path', 'dataset'],
    ['config', 'dataset'],
    ['config', 'image'],
    ['tabular', 'metrics'],
    ['dataset', 'metrics'],
  ])(
    '%s is refused at a port of %s: both types are named, and what would help',
    shows('4.1/1-compatible'),
    async (from, to) => {
      const [issue, ...others] = await connect(from, to)
      expect(others).toEqual([])
      expect(issue).toMatchObject({ severity: 'error', code: 'TYPE_MISMATCH' })
      expect(issue?.message).toContain(from)
      expect(issue?.message).toContain(to)
      expect(issue?.hint?.length).toBeGreaterThan(10)
    },
  )

  it(
    'every listed conversion is carried out, from the types of the outputs to those of the inputs',
    shows(
      '4.1/1-converted',
      '2.11/training-data',
      '2.12/ImagePreprocess',
      '2.12/DataAugmentation',
      '2.12/ConfigureTraining',
    ),
    async () => {
      const document = everyConversion()
      const type = (id: string, side: 'inputs' | 'outputs', port: string) => {
        const node = document.nodes.find((one) => one.id === id)
        return catalog.nodes.find((one) => one.type === node?.type)?.[side].find(({ name }) => name === port)
          ?.type
      }
      const drawn = document.connections.map(
        ({ source, source_port, target, target_port }) =>
          `${type(source, 'outputs', source_port)} > ${type(target, 'inputs', target_port)}`,
      )
      const listed = catalog.conversions.map(({ from, to }) => `${from} > ${to}`)
      expect([...new Set(drawn)].sort()).toEqual(listed.sort())

      const { nodes } = await workflows.succeed(document)
      const cases = (id: string, port: string) =>
        Number(/^(\d+) (?:cases|predictions)/.exec(nodes[id]?.outputs[port]?.summary ?? '')?.[1])
      const rows = (table: string) => readRows(join(dataset, table)).length - 1
      // After all conversions, these are the cases of the table.
      for (const [id, port] of [
        ['imagesOfTable', 'augmented_images'],
        ['tableOfImages', 'processed_data'],
        ['tableAgain', 'processed_data'],
        ['rowsOfTable', 'filtered_dataset'],
        ['all', 'train_dataset'],
      ] as const)
        expect(cases(id, port), id).toBe(rows('train.csv'))
      expect(cases('both', 'merged_dataset')).toBe(rows('train.csv') + rows('val.csv'))
      // Images and table of the test data were joined, with their labels.
      expect(cases('evaluate', 'predictions')).toBe(rows('test.csv'))
      // Training data: the values that arrived at one port, cases and configuration.
      const learned = async (id: string) => {
        const { config, prepared } = await workflows.caller.status(String(nodes[id]?.job_id))
        expect(config.training, id).toMatchObject({ epochs: 1, batch_size: 30 })
        expect(config.data.allow_leakage, id).toBe(id === 'trainJoined')
        return { train: prepared?.splits.train?.cases ?? 0, val: prepared?.splits.val?.cases ?? 0 }
      }
      expect(await learned('train')).toEqual({ train: rows('train.csv'), val: rows('val.csv') })
      const { train, val } = await learned('trainJoined')
      expect(train + val).toBe(rows('train.csv'))
    },
  )

  it(
    'a dataset that passes through a node of images is still a dataset with table and labels',
    shows('2.11/types'),
    async () => {
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
    },
  )

  it('images and a table that meet in one port are joined by case', shows('2.11/multimodal'), async () => {
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
