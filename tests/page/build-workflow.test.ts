import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { forbidMouse, keyboard, mouse, reach } from './testing/input-devices.js'
import { openedReport } from './testing/opened-report.js'
import { expectPortValues } from './testing/port-values.js'
import { shared, test } from './testing/test.js'

/** Hundreds of single steps, one after the other. */
const LONG = 480_000
let dataset = ''
beforeAll(() => {
  if (shared) dataset = makeDataset(join(shared.root, 'build workflow'), { cases: 60 })
})

/**
 * Nodes of the template "Image and table together", with the fields that make it small. The identifiers are those that the editor assigns,
 * in this order.
 *
 *     load-dataset ──▶ image-preprocess ──┐
 *           └────────▶ tabular-preprocess ┴▶ train-model ──▶ evaluate-model ──▶ visualize-results
 *     load-dataset-2 ─────────────────────────▲  ▲  ▲            ▲ load-dataset-3       ▲
 *     select-backbone, select-fusion ▶ build-model  configure-training      history of train-model
 */
const nodes = () => [
  loading('load-dataset', 'train.csv'),
  loading('load-dataset-2', 'val.csv'),
  loading('load-dataset-3', 'test.csv'),
  made('Preprocess images', 'ImagePreprocess'),
  made('Preprocess table', 'TabularPreprocess'),
  made(
    'Select backbone',
    'SelectBackbone',
    { Backbone: 'mobilenetv3_small' },
    { model_name: 'mobilenetv3_small' },
  ),
  made('Select fusion', 'SelectFusion', { Width: '16' }, { hidden_dim: 16 }),
  made('Build model', 'BuildModel'),
  made(
    'Configure training',
    'ConfigureTraining',
    { Epochs: '1', 'Batch size': '8' },
    { epochs: 1, batch_size: 8 },
  ),
  made('Train model', 'TrainModel'),
  made('Evaluate model', 'EvaluateModel'),
  made('Visualize results', 'VisualizeResults'),
]

interface Built {
  readonly id: string
  readonly type: string
  readonly title: string
  /** Field → text to enter. */
  readonly fields: Readonly<Record<string, string>>
  readonly config: { readonly dataset_id?: string }
}
function made(title: string, type: string, fields = {}, config: object = {}): Built {
  const id = type.replaceAll(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
  return { id, type, title, fields, config }
}
function loading(id: string, file: string): Built {
  const dataset_id = join(dataset, file)
  return {
    ...made('Load dataset', 'LoadDataset', { 'Dataset (required)': dataset_id }, { dataset_id }),
    id,
  }
}

/** Node, port and its title. */
type Place = readonly [node: string, port: string, title: string]
const WIRES: readonly (readonly [from: Place, to: Place])[] = [
  [
    ['load-dataset', 'dataset', 'Dataset'],
    ['image-preprocess', 'images', 'Images'],
  ],
  [
    ['load-dataset', 'dataset', 'Dataset'],
    ['tabular-preprocess', 'dataframe', 'Table'],
  ],
  [
    ['image-preprocess', 'processed_images', 'Preprocessed images'],
    ['train-model', 'train_dataset', 'Training data'],
  ],
  [
    ['tabular-preprocess', 'processed_data', 'Preprocessed table'],
    ['train-model', 'train_dataset', 'Training data'],
  ],
  [
    ['load-dataset-2', 'dataset', 'Dataset'],
    ['train-model', 'val_dataset', 'Validation data'],
  ],
  [
    ['select-backbone', 'backbone_config', 'Backbone'],
    ['build-model', 'backbone_config', 'Backbone'],
  ],
  [
    ['select-fusion', 'fusion_config', 'Fusion'],
    ['build-model', 'fusion_config', 'Fusion'],
  ],
  [
    ['build-model', 'model', 'Model'],
    ['train-model', 'model', 'Model'],
  ],
  [
    ['configure-training', 'training_config', 'Training configuration'],
    ['train-model', 'training_config', 'Training configuration'],
  ],
  [
    ['train-model', 'trained_model', 'Trained model'],
    ['evaluate-model', 'model', 'Trained model'],
  ],
  [
    ['load-dataset-3', 'dataset', 'Dataset'],
    ['evaluate-model', 'test_dataset', 'Test data'],
  ],
  [
    ['evaluate-model', 'metrics', 'Metrics'],
    ['visualize-results', 'metrics', 'Metrics'],
  ],
  [
    ['evaluate-model', 'confusion_matrix', 'Confusion matrix'],
    ['visualize-results', 'confusion_matrix', 'Confusion matrix'],
  ],
  [
    ['train-model', 'training_history', 'Metrics per epoch'],
    ['visualize-results', 'training_history', 'Training history'],
  ],
]

interface Workflow {
  readonly nodes: readonly Pick<Built, 'id' | 'type' | 'config'>[]
  readonly connections: readonly {
    source: string
    source_port: string
    target: string
    target_port: string
  }[]
}

/** A document without identifiers and positions, which depend on the order in which it was built. */
function withoutIds({ nodes, connections }: Workflow) {
  const names = new Map(nodes.map(({ id, type, config }) => [id, `${type} ${config.dataset_id ?? ''}`]))
  return {
    nodes: nodes.map(({ id, config }) => ({ name: names.get(id), config })).sort(byText),
    connections: connections
      .map(
        ({ source, source_port, target, target_port }) =>
          `${names.get(source)}.${source_port} > ${names.get(target)}.${target_port}`,
      )
      .sort(),
  }
}
const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The complete workflow, which two input methods must build. */
const WHOLE = () => ({ nodes: nodes(), wires: WIRES })

/** The part before the training, for the input method that needs many more steps per node and wire. */
const BEGINNING = () => {
  const begun = nodes().filter(
    ({ type }) => !['TrainModel', 'EvaluateModel', 'VisualizeResults'].includes(type),
  )
  const ids = new Set(begun.map(({ id }) => id))
  return { nodes: begun, wires: WIRES.filter((ends) => ends.every(([node]) => ids.has(node))) }
}

async function expectBuilt(page: Page, { nodes, wires }: ReturnType<typeof WHOLE>): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.getByText('Saved', { exact: true }).waitFor()
  const { body } = await new Caller(shared?.url ?? '').get<{ workflow: Workflow }>(
    `/api/workflow/${pathname.split('/').at(-1)}`,
  )
  const connections = wires.map(([[source, source_port], [target, target_port]]) => ({
    ...{ source, source_port, target, target_port },
  }))
  expect(withoutIds(body.workflow)).toEqual(withoutIds({ nodes, connections }))
}

const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
const dialog = (page: Page) => page.getByRole('dialog')
const settings = (page: Page) => page.getByRole('tabpanel', { name: 'Settings' })
const field = (page: Page, name: string): Locator =>
  settings(page)
    .getByRole('textbox', { name, exact: true })
    .or(settings(page).getByRole('combobox', { name, exact: true }))

/** Creates the complete template as a workflow of the service. */
async function createWhole(): Promise<string> {
  const { body } = await new Caller(shared?.url ?? '').post<{ workflow_id: string }>('/api/workflow/create', {
    ...{ version: '1.1', metadata: { name: 'whole' } },
    nodes: nodes().map(({ id, type, config }, index) => ({
      ...{ id, type, config },
      position: { x: (index % 6) * 330, y: Math.floor(index / 6) * 500 },
    })),
    connections: WIRES.map(([[source, source_port], [target, target_port]], index) => ({
      ...{ id: `c-${index}`, source, source_port, target, target_port },
    })),
  })
  expect(body).toHaveProperty('workflow_id')
  return body.workflow_id
}

test('the template of image and table runs, after one change only what is behind it, to the report', {
  tags: ['full'],
}, async ({ open }) => {
  const workflowId = await createWhole()
  const page = await open(`/workflows/${workflowId}`, { viewport: { width: 2000, height: 1300 } })
  const { activate } = mouse(page)
  const all = nodes().map(({ id }) => id)
  await activate(page.getByRole('button', { name: 'Run', exact: true }))
  for (const id of all) await card(page, id).getByText('Done', { exact: true }).waitFor()
  await activate(card(page, 'evaluate-model'))
  // An unchanged field shows its default: one of all metrics is removed.
  await activate(settings(page).getByText('precision', { exact: true }))
  expect(await settings(page).getByRole('checkbox', { name: 'recall' }).isChecked()).toBe(true)
  await activate(page.getByRole('tab', { name: 'Plan' }))
  await page.getByText('2 to run, 10 reused, 0 skipped').waitFor()
  await activate(page.getByRole('button', { name: 'Run', exact: true }))
  const behind = ['evaluate-model', 'visualize-results']
  for (const id of all)
    await card(page, id)
      .getByText(behind.includes(id) ? 'Done' : 'Reused', { exact: true })
      .waitFor()
  await activate(card(page, 'train-model'))
  await activate(page.getByRole('tab', { name: 'Result' }))
  // The value of its first port has the same link once it is loaded.
  await activate(page.getByRole('link', { name: 'Training of this node' }).first())
  await activate(page.getByRole('main').getByRole('link', { name: /^mobilenetv3/ }))
  await activate(page.getByRole('button', { name: 'Report', exact: true }))
  // The result of the node is an evaluation of the model; its report is written on request.
  await activate(dialog(page).getByRole('button', { name: 'Format' }))
  await activate(page.getByRole('option', { name: 'Web page (HTML)' }))
  await activate(dialog(page).getByRole('button', { name: 'Create' }))
  await openedReport(page, () => activate(dialog(page).getByRole('link', { name: 'report.html' })))
  await expectPortValues(page, workflowId)
})

describe('the template of image and table, built from nothing', { tags: ['full'] }, () => {
  test(
    'by mouse, with drawn wires',
    async ({ open }) => {
      const page = await open('/workflows', {
        viewport: { width: 2000, height: 1300 },
      })
      const { activate, write } = mouse(page)
      await activate(page.getByRole('button', { name: 'New workflow' }).first())
      const palette = page.getByRole('tabpanel', { name: 'Add' })
      for (const { id, title, fields } of nodes()) {
        await activate(palette.getByRole('button', { name: title }))
        await card(page, id).waitFor()
        for (const [name, value] of Object.entries(fields)) await write(field(page, name), value)
      }
      const arrange = page.getByRole('button', { name: 'Arrange' })
      await activate(arrange)
      for (const [[source, output], [target, input]] of WIRES) {
        await card(page, source).locator(`.source[data-handleid="${output}"]`).hover()
        await page.mouse.down()
        await card(page, target).locator(`.target[data-handleid="${input}"]`).hover()
        await page.mouse.up()
      }
      await activate(arrange)
      await activate(page.getByRole('button', { name: 'Save a version' }))
      await expectBuilt(page, WHOLE())
    },
    LONG,
  )

  test(
    'by keyboard alone is the same document, up to the training',
    async ({ open }) => {
      const page = await open('/workflows')
      await forbidMouse(page)
      const { activate, write } = keyboard(page)
      await activate(page.getByRole('button', { name: 'New workflow' }).first())
      const palette = page.getByRole('tabpanel', { name: 'Add' })
      const search = palette.getByRole('searchbox', { name: 'Search nodes' })
      await search.waitFor()
      const begun = BEGINNING()
      for (const { title, fields } of begun.nodes) {
        await reach(page, search, 'Shift+Tab')
        await write(search, title)
        await activate(palette.getByRole('button', { name: title }))
        for (const [name, value] of Object.entries(fields)) await write(field(page, name), value)
      }
      await activate(page.getByRole('button', { name: 'Arrange' }))
      for (const [[source, , output], [target, , input]] of begun.wires) {
        await page.keyboard.press('Control+k')
        await write(dialog(page).getByRole('searchbox'), source)
        await activate(dialog(page).getByRole('button', { name: new RegExp(` · ${source}$`) }))
        // Moves from the node to its panel, which is the next part of the page.
        await reach(page, settings(page).getByRole('button', { name: `Connect ${output}`, exact: true }))
        await page.keyboard.press('Enter')
        await write(dialog(page).getByRole('searchbox'), target)
        await activate(dialog(page).getByRole('button', { name: `${target} · ${input}` }))
        await dialog(page).waitFor({ state: 'detached' })
      }
      await page.keyboard.press('Control+s')
      await expectBuilt(page, begun)
    },
    LONG,
  )

  test('by the outline, where a port offers the nodes that fit it, is the same document', async ({
    open,
  }) => {
    const page = await open('/workflows')
    await page.getByRole('button', { name: 'New workflow' }).first().click()
    await page.getByRole('tabpanel', { name: 'Add' }).getByRole('button', { name: 'Load dataset' }).click()
    await page.getByRole('tab', { name: 'Outline' }).click()
    const row = (...key: string[]) => page.locator(`[data-key='${JSON.stringify(key)}']`)
    const openPort = async (node: string, side: 'input' | 'output', port: string) => {
      await row(node).focus()
      if ((await row(node).getAttribute('aria-expanded')) !== 'true') await page.keyboard.press('ArrowRight')
      await row(node, side, port).focus()
      await page.keyboard.press('Enter')
    }
    const setFields = async (titled: string, file?: string) => {
      const node = nodes().find(
        ({ title, config }) => title === titled && (!file || config.dataset_id?.endsWith(file)),
      )
      for (const [name, value] of Object.entries(node?.fields ?? {})) await field(page, name).fill(value)
    }
    const add = async (from: Parameters<typeof openPort>, title: string, file?: string) => {
      await openPort(...from)
      await dialog(page).getByRole('button', { name: title, exact: true }).click()
      await dialog(page).waitFor({ state: 'detached' })
      await setFields(title, file)
    }
    const connect = async (from: Parameters<typeof openPort>, to: string) => {
      await openPort(...from)
      await dialog(page).getByRole('button', { name: to }).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    await setFields('Load dataset', 'train.csv')
    await add(['load-dataset', 'output', 'dataset'], 'Preprocess images')
    await add(['load-dataset', 'output', 'dataset'], 'Preprocess table')
    await add(['image-preprocess', 'output', 'processed_images'], 'Train model')
    await connect(['tabular-preprocess', 'output', 'processed_data'], 'train-model · Training data')
    await add(['train-model', 'input', 'val_dataset'], 'Load dataset', 'val.csv')
    await add(['train-model', 'input', 'model'], 'Build model')
    await add(['build-model', 'input', 'backbone_config'], 'Select backbone')
    await add(['build-model', 'input', 'fusion_config'], 'Select fusion')
    await add(['train-model', 'input', 'training_config'], 'Configure training')
    await add(['train-model', 'output', 'trained_model'], 'Evaluate model')
    await add(['evaluate-model', 'input', 'test_dataset'], 'Load dataset', 'test.csv')
    await add(['evaluate-model', 'output', 'metrics'], 'Visualize results')
    await connect(['evaluate-model', 'output', 'confusion_matrix'], 'visualize-results · Confusion matrix')
    await connect(['train-model', 'output', 'training_history'], 'visualize-results · Training history')
    await page.keyboard.press('Control+s')
    await expectBuilt(page, WHOLE())
  })
})
