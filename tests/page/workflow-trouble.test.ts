import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { customNodeTemplate } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { expectAccessible } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'
import { SERVICE_ENDED } from './testing/watch.js'

/** A node whose behavior depends on its settings. It waits until a file exists, without a limit. */
const WAYWARD = `
import time
from pathlib import Path

from medloom_trainer.custom import NodeTask, Outputs, describe_cases, read_cases, write_cases

NODE = {
    "title": "Wayward",
    "summary": "Waits or fails as it is told.",
    "inputs": {"dataset": {"type": "dataset", "title": "Dataset"}},
    "outputs": {"dataset": {"type": "dataset", "title": "Cases", "of": "dataset", "cases": "same"}},
    "config": {
        "until": {"type": "text", "title": "Until", "default": ""},
        "fails": {"type": "boolean", "title": "Fails", "default": False},
    },
}


def run(task: NodeTask) -> Outputs:
    if task.config["fails"]:
        raise ValueError("Jane Roe")
    while task.config["until"] and not Path(task.config["until"]).exists():
        time.sleep(0.05)
    cases = write_cases(task, read_cases(task, task.input("dataset")))
    return {"dataset": (cases, describe_cases(cases))}
`
let service: RunningService
let dataset = ''
const folder = temporaryFolder('page-trouble')
const dataDir = join(folder, 'data')
const nodes = join(folder, 'nodes')
const serve = (port = '0') =>
  startService({
    roots: [join(folder, 'root')],
    dataDir,
    arguments: ['--nodes', nodes, '--port', port],
  })

beforeAll(async () => {
  if (!shared) return
  dataset = makeDataset(join(folder, 'root', 'set'), { cases: 40 })
  mkdirSync(nodes)
  writeFileSync(join(nodes, 'wayward.py'), WAYWARD)
  writeFileSync(join(nodes, 'older_cases.py'), customNodeTemplate('older_cases.py'))
  writeFileSync(join(nodes, 'broken_node.py'), 'NODE = {\n')
  service = await serve()
})
afterAll(async () => {
  await service?.kill()
  rmSync(folder, { recursive: true, force: true })
})

const caller = () => new Caller(service.url)
const signal = (name: string) => join(folder, name)
const go = (name: string) => writeFileSync(signal(name), '')

/** load ─► wayward ─► split */
function workflow(name: string, config: object = { until: signal(name) }) {
  const nodeAt = (id: string, type: string, x: number, settings: object) => ({
    id,
    type,
    position: { x, y: 0 },
    config: settings,
  })
  const wire = (id: string, source: string, target: string) => ({
    id,
    source,
    source_port: 'dataset',
    target,
    target_port: 'dataset',
  })
  return {
    version: '1.1',
    metadata: { name },
    nodes: [
      nodeAt('load', 'LoadDataset', 0, { dataset_id: join(dataset, 'train.csv') }),
      nodeAt('wayward', 'Wayward', 330, config),
      nodeAt('split', 'DataSplit', 660, {}),
    ],
    connections: [wire('c-1', 'load', 'wayward'), wire('c-2', 'wayward', 'split')],
  }
}

async function create(name: string, config?: object): Promise<string> {
  const { body } = await caller().post<{ workflow_id: string }>(
    '/api/workflow/create',
    workflow(name, config),
  )
  return body.workflow_id
}

const state = (page: Page, node: string, name: string) =>
  page.getByRole('row', { name: node }).getByText(name, { exact: true })
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click()

test('the palette marks custom nodes, adds them, and lists invalid files with the reason', async ({
  open,
}) => {
  const { body } = await caller().post<{ workflow_id: string }>('/api/workflow/create', {})
  const page = await open(`/workflows/${body.workflow_id}`, { url: service.url })
  const problems = page.getByRole('region', { name: 'Custom nodes that cannot be used' })
  await problems.getByText(/^broken_node\.py/).waitFor()
  expect(await problems.getByRole('listitem').count()).toBe(1)
  await expectAccessible(page)
  await page.getByRole('button', { name: /custom, older_cases\.py/ }).click()
  await page.getByText('Draft saved').waitFor()
  await page.locator('.react-flow__node').first().waitFor()
})

test('a failed node shows its code and trace, and never the message of the exception', async ({ open }) => {
  const id = await create('fails', { fails: true })
  const page = await open(`/workflows/${id}?side=outline`, { url: service.url })
  await run(page)
  await state(page, 'Wayward', 'Failed').waitFor()
  await state(page, 'Split data', 'Skipped').waitFor()
  const reason = /ValueError/
  await page.locator('.react-flow__node[data-id="wayward"]').getByText(reason).waitFor()
  await page.getByRole('tab', { name: 'Problems' }).click()
  await page.getByRole('tabpanel', { name: 'Problems' }).getByText(reason).waitFor()
  await page.getByRole('button', { name: 'Go to wayward', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Go to the failed node wayward' }).click()
  await page.getByRole('heading', { level: 2, name: 'Wayward' }).waitFor()
  await page.getByRole('tabpanel', { name: 'Result' }).getByText('NODE_FAILED').first().waitFor()
  await page.getByText('Stack trace', { exact: true }).click()
  await page.getByText(/wayward\.py:\d+ in run/).waitFor()
  expect(await page.getByText('Jane Roe').count()).toBe(0)
  await expectAccessible(page)
})

test('a node that hangs is canceled; bypassed, the others run without it', async ({ open }) => {
  const id = await create('hangs')
  const page = await open(`/workflows/${id}?side=outline`, { url: service.url })
  await run(page)
  await state(page, 'Wayward', 'Running').waitFor()
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByText('Canceled').first().waitFor()
  await page.getByRole('row', { name: 'Wayward' }).click()
  await page.keyboard.press('b')
  await page.getByRole('row', { name: 'Wayward' }).getByText('Bypassed').waitFor()
  await run(page)
  await state(page, 'Split data', 'Done').waitFor()
})

test('a run continues while its socket is lost and while its service is killed and started again', async ({
  open,
  expected,
}) => {
  expected.push(...SERVICE_ENDED)
  const id = await create('interrupted')
  const [page, deaf] = await Promise.all([open('/', { url: service.url }), open('/', { url: service.url })])
  await deaf.routeWebSocket(/.*/, (socket) => socket.close())
  for (const tab of [page, deaf]) await tab.goto(`/workflows/${id}?side=outline`)
  await run(page)
  for (const tab of [page, deaf]) await state(tab, 'Wayward', 'Running').waitFor()
  await service.kill()
  await page.getByText('The service is not responding.').waitFor()
  service = await serve(new URL(service.url).port)
  await page.getByText('The service is not responding.').waitFor({ state: 'detached' })
  go('interrupted')
  for (const tab of [page, deaf]) await state(tab, 'Split data', 'Done').waitFor()
})

test('a second run waits for the first, also when its start is taken back in between', async ({ open }) => {
  const id = await create('queued')
  const page = await open(`/workflows/${id}?side=outline`, { url: service.url })
  await run(page)
  await state(page, 'Wayward', 'Running').waitFor()
  await page.getByRole('row', { name: 'Split data' }).click()
  await page.getByLabel('Seed', { exact: true }).fill('5')
  const later = page.getByRole('button', { name: 'Queue after this run' })
  await later.click()
  await page.getByText('Another run is active.').waitFor()
  await page.getByRole('button', { name: 'Cancel the queued run' }).click()
  await page.getByText('Another run is active.').waitFor({ state: 'detached' })
  await later.click()
  await page.getByText('Another run is active.').waitFor()
  go('queued')
  await state(page, 'Wayward', 'Reused').waitFor()
  await state(page, 'Split data', 'Done').waitFor()
  const { body } = await caller().get<{ runs: { status: string }[] }>(`/api/workflow/${id}/runs`)
  expect(body.runs.map(({ status }) => status)).toEqual(['success', 'success'])
})

test('a workflow that is deleted elsewhere reports this, and the drawing is not lost', async ({
  open,
  expected,
}) => {
  expected.push(/status of 404/)
  const id = await create('deleted', {})
  const page = await open(`/workflows/${id}?side=outline`, { url: service.url })
  await page.getByRole('row', { name: 'Wayward' }).waitFor()
  expect((await caller().delete(`/api/workflow/${id}`)).status).toBe(200)
  await page.getByRole('row', { name: 'Split data' }).click()
  await page.getByLabel('Seed', { exact: true }).fill('5')
  await page.getByText('WORKFLOW_NOT_FOUND').first().waitFor()
  await page.getByRole('row', { name: 'Wayward' }).waitFor()
  await expectAccessible(page)
})

test('a file that is dropped on the list becomes a workflow', async ({ open }) => {
  const page = await open('/workflows', { url: service.url })
  const list = page.getByRole('heading', { level: 1, name: 'Workflows' })
  await list.waitFor()
  const transfer = await page.evaluateHandle(
    (text) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], 'dropped.json', { type: 'application/json' }))
      return transfer
    },
    JSON.stringify(workflow('dropped', {})),
  )
  await list.dispatchEvent('dragover', { dataTransfer: transfer })
  await list.dispatchEvent('drop', { dataTransfer: transfer })
  await page.getByRole('heading', { level: 1, name: 'dropped' }).waitFor()
})
