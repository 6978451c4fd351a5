import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeState } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { REPOSITORY } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { expectDialog } from './testing/dialog.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

let dataset = ''
beforeAll(() => {
  if (shared) dataset = makeDataset(join(shared.root, 'workflows'), { cases: 40 })
})

interface Saved {
  draft_updated_at: string | null
  workflow_id: string
  revision: number
  workflow: {
    nodes: { id: string; type: string; config: Record<string, unknown> }[]
    connections: { source: string; target: string }[]
  }
}
const caller = () => new Caller(shared?.url ?? '')
const create = async (workflow: object) => (await caller().post<Saved>('/api/workflow/create', workflow)).body
const saved = async (id: string) => (await caller().get<Saved>(`/api/workflow/${id}`)).body
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

/** Loads and splits a table: two nodes that need no training. */
/** @param seed of the split: values of other runs are reused, so a test that must see them run has its own seed. */
const small = (name = 'small', seed?: number) => ({
  version: '1.1',
  metadata: { name },
  nodes: [
    {
      id: 'load',
      type: 'LoadDataset',
      position: { x: 0, y: 0 },
      config: { dataset_id: join(dataset, 'train.csv') },
    },
    {
      id: 'split',
      type: 'DataSplit',
      position: { x: 330, y: 0 },
      config: seed === undefined ? {} : { seed },
    },
  ],
  connections: [
    { id: 'c-1', source: 'load', source_port: 'dataset', target: 'split', target_port: 'dataset' },
  ],
})

describe('the editor', () => {
  test('builds, runs and changes a workflow by keyboard and outline alone', async ({ open }) => {
    const page = await open('/workflows')
    const { keyboard } = page
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name }).first().focus()
      await keyboard.press('Enter')
    }
    await press('New workflow')
    await page.getByText('This workflow is empty.').waitFor()
    await press('Load dataset')
    await page.getByRole('textbox', { name: 'Dataset (required)' }).focus()
    // Pasted: the workflow is checked after each character.
    await keyboard.insertText(join(dataset, 'train.csv'))
    // From the port of the outline to a new compatible node.
    await page.getByRole('tab', { name: 'Outline' }).focus()
    await keyboard.press('Enter')
    await page.getByRole('row', { name: /Load dataset/ }).focus()
    await keyboard.press('ArrowRight')
    await page.getByRole('row', { name: /Columns, counts and classes/ }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Split data' }).focus()
    await keyboard.press('Enter')
    await page.getByRole('row', { name: /Split data/ }).waitFor()
    await page.getByText('Draft saved').waitFor()
    expect((await saved(idOf(page))).workflow.nodes).toEqual([])
    await keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { workflow } = await saved(idOf(page))
    expect(workflow.nodes.map(({ id }) => id)).toEqual(['load-dataset', 'data-split'])
    expect(workflow.connections).toMatchObject([{ source: 'load-dataset', target: 'data-split' }])
    await press('Run')
    await expectState(page, 'Split data', 'Done')
    await expectAccessible(page)
    // One field of the second node: only that node runs again.
    await page.getByLabel('Seed', { exact: true }).fill('5')
    await page.getByRole('tab', { name: 'Plan' }).focus()
    await keyboard.press('Enter')
    await page.getByText('1 to run, 1 reused, 0 skipped').waitFor()
    await page.getByText('field seed changed').waitFor()
    await press('Run')
    await expectState(page, 'Load dataset', 'Reused')
    await expectState(page, 'Split data', 'Done')
    await page.getByRole('tab', { name: 'Result' }).focus()
    await keyboard.press('Enter')
    await page.getByText('First rows').first().waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('has in the address what is selected, however long a draft takes to be kept', async ({ open }) => {
    const { workflow_id } = await create(small('slow'))
    const page = await open(`/workflows/${workflow_id}?side=outline`)
    const row = (name: RegExp) => page.getByRole('row', { name })
    await row(/Split data/).click()
    await page.getByLabel('Seed', { exact: true }).waitFor()
    let keep = () => {}
    const saved = new Promise<void>((done) => {
      keep = done
    })
    let requests = 0
    await page.route(/\/draft$/, async (route) => {
      requests += 1
      await saved
      await route.continue()
    })
    await page.getByLabel('Seed', { exact: true }).fill('7')
    await expect.poll(() => requests).toBe(1)
    const selected = () => new URL(page.url()).searchParams.get('node')
    await row(/Load dataset/).click()
    await expect.poll(selected).toBe('load')
    await row(/Split data/).click()
    await expect.poll(selected).toBe('split')
    keep()
    await page.getByText('Draft saved').waitFor()
    expect(selected()).toBe('split')
    // Another page waits for the draft.
    await page.getByLabel('Seed', { exact: true }).fill('8')
    await page.getByRole('link', { name: 'Workflows' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor()
    const draft = await caller().get<Saved>(`/api/workflow/${workflow_id}/draft`)
    expect(draft.body.workflow.nodes[1]?.config).toMatchObject({ seed: 8 })
  })

  test('undoes everything, and refuses what does not fit with its reason', async ({ open }) => {
    const { workflow_id } = await create(small())
    const page = await open(`/workflows/${workflow_id}?side=outline&node=split`)
    await page.getByRole('button', { name: 'Disconnect Dataset from load.dataset' }).click()
    await page.getByRole('button', { name: 'Connect Dataset', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/ports? (is|are) not compatible/).click()
    await dialog.getByText(/Configuration cannot be converted to Dataset/).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: /load · Dataset/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('row', { name: /Split data/ }).waitFor({ state: 'detached' })
    await page.getByText('Draft saved').waitFor()
    for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Undo' }).click()
    // Undo returns to the saved version: there is nothing left to store.
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await saved(workflow_id)).toMatchObject({ revision: 1, draft_updated_at: null })
    await page.getByRole('row', { name: /Split data/ }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expectAccessible(page)
  })

  test('takes shortcuts wherever the focus falls, and leaves it at the next node after a deletion', async ({
    open,
  }) => {
    const { workflow_id } = await create(small('by keys'))
    const page = await open(`/workflows/${workflow_id}`)
    const { keyboard } = page
    const card = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
    const selected = (count: number) =>
      expect.poll(() => page.locator('.react-flow__node.selected').count()).toBe(count)
    const focus = () =>
      page.evaluate(
        () =>
          document.activeElement?.getAttribute('data-id') ??
          document.activeElement?.getAttribute('aria-label') ??
          document.activeElement?.tagName,
      )
    const inTheMiddle = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox()
      if (!box) throw new Error(`${selector} is not drawn`)
      return [box.x + box.width / 2, box.y + box.height / 2] as const
    }
    await card('split').waitFor()
    expect(await focus()).toBe('BODY')
    await keyboard.press('Control+a')
    await selected(2)
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    // A click on the empty canvas clears the focus.
    await page.locator('.react-flow__pane').click({ position: { x: 8, y: 8 } })
    await selected(0)
    await page.mouse.click(...(await inTheMiddle('.react-flow__edge')))
    await page.getByRole('heading', { level: 2, name: 'Connection' }).waitFor()
    await keyboard.press('Delete')
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(0)
    await expect.poll(focus).toBe('Workflow canvas')
    await keyboard.press('Control+z')
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(1)
    await card('load').click()
    await keyboard.press('Delete')
    await expect.poll(focus).toBe('split')
    await page.getByRole('button', { name: 'Undo' }).click()
    // The last step is undone, so the focused button is disabled.
    await keyboard.press('Control+a')
    await selected(2)
    await keyboard.press('Control+x')
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(0)
    await expect.poll(focus).toBe('Workflow canvas')
    await keyboard.press('Control+v')
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(2)
    // Text on the canvas cannot be selected.
    await page.mouse.dblclick(...(await inTheMiddle('.react-flow__node[data-id="load"] strong')))
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    await expectAccessible(page)
  })

  test('groups, mutes and arranges nodes, and compares with the saved version', async ({ open }) => {
    const { workflow_id } = await create(small('marked'))
    const page = await open(`/workflows/${workflow_id}?side=outline&view=plan&node=load`)
    const row = page.getByRole('row', { name: /Load dataset/ })
    await row.focus()
    await page.keyboard.press('m')
    await row.getByText('Muted').waitFor()
    // Nodes that depend only on it do not run either.
    await page.getByText('0 to run, 0 reused, 2 skipped').waitFor()
    await page.keyboard.press('m')
    await page.getByText('2 to run, 0 reused, 0 skipped').waitFor()
    await row.focus()
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+g')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('textbox', { name: 'Title of group-1' }).fill('<b>Data</b>')
    await page.getByRole('heading', { name: '<b>Data</b>' }).waitFor()
    await row.focus()
    await page.keyboard.press('n')
    await page.getByRole('textbox', { name: 'Text of note-1' }).fill('by hand')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await saved(workflow_id)).workflow).toMatchObject({
      nodes: [{ id: 'load', position: { x: 24, y: 0 } }, { id: 'split' }],
      groups: [{ id: 'group-1', title: '<b>Data</b>', nodes: ['load', 'split'] }],
      notes: [{ text: 'by hand' }],
    })
    await page.getByRole('button', { name: 'Compare version 1 with the current content' }).click()
    const list = page.getByRole('listitem')
    await list.filter({ hasText: 'load node differs: position' }).waitFor()
    await list.filter({ hasText: 'group-1 group added' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('finds a node and gives it the keyboard, and arranges the nodes into view', async ({ open }) => {
    const far = small('far apart')
    const nodes = far.nodes.map((node, index) => ({
      ...node,
      position: { x: index * 90_000, y: index * 9_000 },
    }))
    const { workflow_id } = await create({ ...far, nodes })
    const page = await open(`/workflows/${workflow_id}`)
    const card = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
    const { keyboard } = page
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
    for (const id of ['split', 'load']) {
      await page.getByRole('button', { name: 'Find a command or node' }).focus()
      await keyboard.press('Enter')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: new RegExp(` · ${id}$`) })
        .focus()
      await keyboard.press('Enter')
      await page.locator(`.react-flow__node[data-id="${id}"]:focus`).waitFor()
      await expect.poll(() => isInView(page, id)).toBe(true)
    }
    // Subsequent keys apply to the found node.
    await keyboard.press('m')
    await card('load').getByText('Muted').waitFor()
    await keyboard.press('l')
    for (const id of ['load', 'split']) await expect.poll(() => isInView(page, id)).toBe(true)
    await expectAccessible(page)
  })

  test('connects by mouse, saying over a port why it does not fit', async ({ open }) => {
    const { workflow_id } = await create({ ...small('by mouse'), connections: [] })
    const page = await open(`/workflows/${workflow_id}`)
    const port = (node: string, side: 'source' | 'target', name: string) =>
      page.locator(
        `.react-flow__node[data-id="${node}"] .react-flow__handle.${side}[data-handleid="${name}"]`,
      )
    const drag = async (to: () => Promise<unknown>, from = 'dataset') => {
      await port('load', 'source', from).hover()
      await page.mouse.down()
      await to()
    }
    await drag(() => port('split', 'target', 'dataset').hover(), 'metadata')
    await page.getByText('Configuration cannot be converted to Dataset.').waitFor()
    await page.mouse.up()
    await drag(() => port('split', 'target', 'dataset').hover())
    await page.mouse.up()
    await page.getByText('Draft saved').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    // On the body of a node it finds the port; elsewhere it offers nodes.
    await drag(() => page.locator('.react-flow__node[data-id="split"] strong').hover())
    await page.mouse.up()
    await page.getByRole('button', { name: 'Undo' }).click()
    await drag(() => page.locator('.react-flow__pane').hover({ position: { x: 40, y: 40 } }))
    await page.mouse.up()
    await page.getByRole('dialog').getByRole('button', { name: 'Split data' }).click()
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await saved(workflow_id)).workflow.connections).toMatchObject([
      { source: 'load', target: 'data-split' },
    ])
  })

  test('detects a stale tab, shows both versions, and offers a choice', async ({ open, expected }) => {
    expected.push(/status of 400/)
    const { workflow_id } = await create(small('two tabs'))
    const [mine, other] = [await open(`/workflows/${workflow_id}`), await open(`/workflows/${workflow_id}`)]
    await mine.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
    await other.getByRole('textbox', { name: 'Name', exact: true }).fill('the other')
    await other.getByText('Draft saved').waitFor()
    await mine.getByRole('textbox', { name: 'Name', exact: true }).fill('mine')
    await mine.getByText('This workflow was changed elsewhere').waitFor()
    await mine.getByText('1 difference between').click()
    await mine.getByText('differs: name').waitFor()
    await expectAccessible(mine)
    await mine.getByRole('button', { name: 'Keep my version' }).click()
    await mine.getByText('Draft saved').waitFor()
    // A draft outlives the tab, and undo returns to the saved version.
    await mine.reload()
    await mine.getByRole('heading', { level: 1, name: 'mine' }).waitFor()
    await mine.getByRole('button', { name: 'Undo' }).click()
    await mine.getByRole('heading', { level: 1, name: 'two tabs' }).waitFor()
    await mine.getByRole('button', { name: 'Redo' }).click()
    await mine.getByRole('button', { name: 'Save a version' }).click()
    await mine.getByText('Saved', { exact: true }).waitFor()
    expect((await saved(workflow_id)).workflow).toMatchObject({ metadata: { name: 'mine' } })
    // The other tab receives and adopts it; undo restores its own version.
    await other.getByRole('textbox', { name: 'Name', exact: true }).fill('the other again')
    await other.getByRole('button', { name: 'Use the other version' }).click()
    await other.getByRole('heading', { level: 1, name: 'mine' }).waitFor()
    await other.getByRole('button', { name: 'Undo' }).click()
    await other.getByRole('heading', { level: 1, name: 'the other again' }).waitFor()
  })

  test('keeps what it does not know, and shows names as they are', async ({ open }) => {
    const name = '<img src=x onerror=alert(1)> مرحبا'
    const start = small(name)
    const odd = {
      id: '<b>odd</b>',
      type: 'Nobody Knows',
      position: { x: 0, y: 300 },
      config: { deep: [1] },
      note: 1,
    }
    const wire = { id: 'c-2', source: odd.id, source_port: 'out', target: 'split', target_port: 'in' }
    const { workflow_id } = await create({
      ...start,
      invented: { a: 1 },
      nodes: [...start.nodes, odd],
      connections: [...start.connections, wire],
    })
    const page = await open(`/workflows/${workflow_id}?node=load`)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText('Unknown node').first().waitFor()
    await page.getByText('Shuffle', { exact: true }).click()
    await page.getByRole('button', { name: 'Save a version' }).click()
    await expect.poll(async () => (await saved(workflow_id)).revision).toBe(2)
    expect((await saved(workflow_id)).workflow).toMatchObject({
      invented: { a: 1 },
      nodes: [{ config: { shuffle: true } }, {}, odd],
      connections: [{}, wire],
    })
    await expectAccessible(page)
  })

  test('draws many nodes on one canvas in the overview, where a click selects', async ({ open }) => {
    const nodes = Array.from({ length: 120 }, (_, index) => ({
      ...small().nodes[0],
      id: `n${index}`,
      position: { x: (index % 12) * 400, y: Math.floor(index / 12) * 400 },
    }))
    const { workflow_id } = await create({ ...small('many'), nodes, connections: [] })
    const page = await open(`/workflows/${workflow_id}`)
    const overview = page.getByRole('img', { name: /Overview of 120 nodes/ })
    await overview.waitFor()
    expect(await page.locator('.react-flow__node').count()).toBe(0)
    // Everything is in view: the node in the middle of the right half, followed by an area with four nodes.
    const box = await overview.boundingBox()
    if (!box) throw new Error('the canvas is not shown')
    const step = (400 * box.width) / 1.05 / (11 * 400 + 220)
    const pointAt = (column: number, row: number) => ({
      x: box.x + box.width / 2 + (column - 5.5) * step,
      y: box.y + box.height / 2 + (row - 4.5) * step,
    })
    await page.mouse.click(pointAt(8, 4).x, pointAt(8, 4).y)
    await page.getByRole('heading', { level: 2, name: 'Load dataset' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('node')).toBe('n56')
    await page.keyboard.down('Shift')
    await page.mouse.move(pointAt(1.5, 1.5).x, pointAt(1.5, 1.5).y)
    await page.mouse.down()
    await page.mouse.move(pointAt(3.5, 3.5).x, pointAt(3.5, 3.5).y, { steps: 3 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await page.getByRole('heading', { level: 2, name: '4 nodes selected' }).waitFor()
    await expectAccessible(page)
    // The selection is dragged together in one edit.
    const positions = async () =>
      (await caller().get<{ workflow: Saved['workflow'] }>(`/api/workflow/${workflow_id}/draft`)).body
        .workflow.nodes as unknown as { position: { x: number; y: number } }[]
    await page.mouse.move(pointAt(2, 2).x, pointAt(2, 2).y)
    await page.mouse.down()
    await page.mouse.move(pointAt(2.5, 2).x, pointAt(2.5, 2).y, { steps: 3 })
    await page.mouse.up()
    await page.getByText('Draft saved').waitFor()
    const moved = (await positions()).flatMap(({ position }, index) => {
      const by = position.x - (index % 12) * 400
      return by === 0 ? [] : [[index, Math.round(by / 50) * 50]]
    })
    expect(moved).toEqual([26, 27, 38, 39].map((index) => [index, 200]))
    await page.getByRole('heading', { level: 2, name: '4 nodes selected' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    // A double click opens a node as an editable card.
    await page.getByText('Double-click a node to edit it').waitFor()
    await page.mouse.dblclick(pointAt(5, 4).x, pointAt(5, 4).y)
    await page.locator('.react-flow__node[data-id="n53"]').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('node')).toBe('n53')
    expect(await overview.count()).toBe(0)
  })

  test('has an outline of very many nodes, of which only those in view are in the document', {
    tags: ['full'],
  }, async ({ open }) => {
    const nodes = Array.from({ length: 1000 }, (_, index) => ({
      ...small().nodes[1],
      id: `n${index}`,
      position: { x: (index % 32) * 330, y: Math.floor(index / 32) * 200 },
    }))
    const { workflow_id } = await create({ ...small('outlined'), nodes, connections: [] })
    const page = await open(`/workflows/${workflow_id}?side=outline`)
    const { keyboard } = page
    const tree = page.getByRole('treegrid', { name: 'Outline' })
    const row = (id: string) => tree.locator(`[data-key='["${id}"]']`)
    const focused = (id: string) =>
      expect.poll(() => row(id).evaluate((element) => element === document.activeElement))
    await row('n0').waitFor()
    expect(await tree.getByRole('row').count()).toBeLessThan(60)
    await row('n0').focus()
    await keyboard.press('End')
    await focused('n999').toBe(true)
    expect(await row('n999').getAttribute('aria-posinset')).toBe('1000')
    expect(await row('n999').getAttribute('aria-setsize')).toBe('1000')
    // A row that is scrolled out of view keeps the focus, and its expanded ports are announced.
    await tree.evaluate((element) => element.scrollTo(0, 0))
    await row('n1').waitFor()
    await keyboard.press('ArrowRight')
    await keyboard.press('ArrowRight')
    const port = tree.getByRole('row', { name: 'Dataset Dataset not connected, required' })
    await expect.poll(() => port.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await port.getAttribute('aria-level')).toBe('2')
    await keyboard.press('ArrowLeft')
    await focused('n999').toBe(true)
    // Shift selects the rows in between, by mouse and by keyboard; after a deletion the focus stays where it was.
    await row('n998').click()
    await keyboard.press('Shift+ArrowDown')
    await page.getByRole('heading', { level: 2, name: '2 nodes selected' }).waitFor()
    await keyboard.press('Delete')
    await focused('n997').toBe(true)
    expect(await tree.getByRole('row').count()).toBeLessThan(60)
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('draws very many nodes that lie on each other on one canvas, until they are arranged', async ({
    open,
  }) => {
    const nodes = Array.from({ length: 1000 }, (_, index) => ({ ...small().nodes[1], id: `n${index}` }))
    const { workflow_id } = await create({ ...small('piled'), nodes, connections: [] })
    const page = await open(`/workflows/${workflow_id}?side=outline`)
    await page.getByText('Nodes overlap').waitFor()
    expect(await page.locator('.react-flow__node').count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Arrange' }).click()
    await page.getByText('Double-click a node to edit it').waitFor()
    await page.getByRole('row', { name: 'Split data n0', exact: true }).dblclick()
    await page.locator('.react-flow__node[data-id="n0"]').waitFor()
    expect(await page.locator('.react-flow__node').count()).toBeLessThan(60)
  })

  test('does not move the drawing when its bar shows edits and runs', async ({ open }) => {
    const { workflow_id } = await create(
      small('a name that is longer than the room that the bar has for it', 13),
    )
    for (const [locale, run] of [
      ['en', 'Run'],
      ['zh-CN', '运行'],
    ] as const) {
      const page = await open(`/workflows/${workflow_id}?side=outline&node=split`, {
        locale,
        viewport: { width: 1280, height: 900 },
      })
      const canvas = page.locator('.react-flow')
      await canvas.waitFor()
      await page.evaluate(() => {
        const places = new Set<string>()
        const canvas = document.querySelector('.react-flow')
        const look = () => {
          const { x, y, width, height } = canvas?.getBoundingClientRect() ?? new DOMRect()
          places.add([x, y, width, height].join(' '))
          requestAnimationFrame(look)
        }
        look()
        Object.assign(globalThis, { places })
      })
      await page.getByRole('row', { name: /split/ }).focus()
      await page.keyboard.press('Alt+ArrowDown')
      await page.getByRole('button', { name: run, exact: true }).click()
      const link = page.locator(`header a[href^="/workflows/${workflow_id}/runs/"]`)
      await link.waitFor()
      const { runs } = (
        await caller().get<{ runs: { run_id: string }[] }>(`/api/workflow/${workflow_id}/runs`)
      ).body
      await page.locator(`header a[href$="${runs[0]?.run_id}"]`).waitFor()
      await page.getByRole('button', { name: run, exact: true }).waitFor()
      expect(
        await page.evaluate(() => [...(globalThis as unknown as { places: Set<string> }).places]),
      ).toHaveLength(1)
    }
  })

  test('plans very many nodes, of which only those in view are in the document', { tags: ['full'] }, async ({
    open,
  }) => {
    const nodes = Array.from({ length: 250 }, (_, index) => ({ ...small().nodes[0], id: `n${index}` }))
    const { workflow_id } = await create({ ...small('planned'), nodes, connections: [] })
    const page = await open(`/workflows/${workflow_id}?view=plan`)
    const steps = page.getByRole('region', { name: 'Plan' })
    await steps.locator('[aria-posinset="1"]').waitFor()
    expect(await steps.getByRole('listitem').count()).toBeLessThan(60)
    await steps.focus()
    // Rows on the way are measured, which moves the content below.
    const atEnd = async () => {
      await page.keyboard.press('End')
      return steps.locator('[aria-posinset="250"]').count()
    }
    await expect.poll(atEnd).toBe(1)
    expect(await steps.getByRole('listitem').count()).toBeLessThan(60)
    await expectAccessible(page, { within: steps })
  })

  test('shows a run after a reload in the middle of it, and each run has a page', async ({ open }) => {
    const { workflow_id } = await create(small('reloaded', 17))
    const page = await open(`/workflows/${workflow_id}?side=outline`)
    const accepted = page.waitForResponse('**/api/workflow/*/execute')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await accepted
    await page.reload()
    await expectState(page, 'Split data', 'Done')
    await page.getByRole('link', { name: 'Open this run' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run of reloaded' }).waitFor()
    await page.getByText('Completed').first().waitFor()
    await page.getByRole('button', { name: /^split/ }).click()
    await page.getByRole('heading', { name: 'train_dataset' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    // One changed field causes another run, whose page shows the difference.
    await page.getByRole('link', { name: 'Open in the editor' }).click()
    await page.getByRole('tab', { name: 'Outline' }).click()
    await page.getByRole('row', { name: /Split data/ }).click()
    await page.getByLabel('Seed', { exact: true }).fill('7')
    // Its result does not match these settings.
    await expectState(page, 'Split data', 'Outdated')
    const again = page.waitForResponse('**/api/workflow/*/execute')
    await page.keyboard.press('Control+Enter')
    const { run_id } = await (await again).json()
    // The states of the first run are unchanged.
    const link = page.getByRole('link', { name: 'Open this run' })
    await expect.poll(() => link.getAttribute('href')).toContain(run_id)
    await expectState(page, 'Load dataset', 'Reused')
    await expectState(page, 'Split data', 'Done')
    await link.click()
    await page.getByText('Completed').first().waitFor()
    await page.getByRole('button', { name: /Compare with/ }).click()
    await page.getByRole('option').nth(1).click()
    await page.getByText('differs: config.seed').waitFor()
    await page.getByText('split, train_dataset').waitFor()
  })
})

describe('the timeline of a run', () => {
  test('shows the duration of a node, and its time in the queue', async ({ open }) => {
    const start = small('waited')
    // Separate seeds: reused results have no waiting time.
    const nodesOfIts = start.nodes.map((node) => ({ ...node, config: { ...node.config, seed: 29 } }))
    const { workflow_id } = await create({ ...start, nodes: nodesOfIts })
    const { body } = await caller().post<{ run_id: string }>(`/api/workflow/${workflow_id}/execute`, {})
    const page = await open(`/workflows/${workflow_id}/runs/${body.run_id}`)
    await page.getByText('Completed').first().waitFor()
    const address = `/api/workflow/${workflow_id}/runs/${body.run_id}`
    const { nodes } = (await caller().get<{ nodes: Record<string, NodeState> }>(address)).body
    for (const { status, queued_at, started_at, ended_at } of Object.values(nodes)) {
      expect(status).toBe('success')
      const moments = [queued_at, started_at, ended_at].map((moment) => Date.parse(moment ?? ''))
      expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    }
    const waited = (seconds: number, { started_at }: Partial<NodeState> = {}) =>
      new Date(Date.parse(started_at ?? '') - seconds * 1000).toISOString()
    await page.route(`**${address}`, async (route) => {
      const response = await route.fetch()
      const run = await response.json()
      run.nodes.load.queued_at = waited(0, nodes.load)
      run.nodes.split.queued_at = waited(5, nodes.split)
      run.nodes.next = {
        ...run.nodes.split,
        status: 'pending',
        started_at: null,
        duration: null,
        outputs: {},
      }
      run.nodes.next.waits_for = 'gpu'
      await route.fulfill({ response, json: run })
    })
    await page.reload()
    await page.getByRole('button', { name: /^split .*waited 5/ }).waitFor()
    await page.getByRole('button', { name: /^next .*waiting for a training slot since / }).waitFor()
    expect(await page.getByRole('button', { name: /^load .*waited/ }).count()).toBe(0)
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

describe('the list of workflows', () => {
  test('imports, shows, exports and deletes', async ({ open }) => {
    const page = await open('/workflows')
    await page.getByRole('img', { name: /Diagram of First example/ }).waitFor()
    await page.locator('input[type=file]').setInputFiles({
      name: 'listed.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(small('listed here'))),
    })
    await page.getByRole('heading', { level: 1, name: 'listed here' }).waitFor()
    await page.getByRole('link', { name: 'All workflows' }).click()
    await page.getByRole('link', { name: 'listed here', exact: true }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Delete listed here' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'listed here', exact: true }).waitFor({ state: 'detached' })
    await page.locator('input[type=file]').setInputFiles({
      name: 'words.json',
      mimeType: 'application/json',
      buffer: Buffer.from('no workflow'),
    })
    await page.getByText('words.json is not a workflow').waitFor()
  })

  test('opens a template as it is in the repository', async ({ open }) => {
    const page = await open('/workflows')
    await page.getByRole('button', { name: 'Use Image and table together' }).click()
    await page.getByRole('heading', { level: 1, name: 'Image and table together' }).waitFor()
    const file = readFileSync(join(REPOSITORY, 'examples/workflows/fusion.json'), 'utf8')
    const { nodes } = JSON.parse(file) as Saved['workflow']
    // Everything is fitted into the view.
    await expect.poll(() => page.getByRole('group').filter({ hasText: 'Not run' }).count()).toBe(nodes.length)
    expect((await saved(idOf(page))).workflow.nodes).toEqual(nodes)
  })
})

describe('templates and a registered dataset', () => {
  const registered = async (path: string, name: string) =>
    (await caller().post<{ dataset_id: string }>('/api/datasets', { path, name })).body.dataset_id

  test('lists fitting templates, shows what the others lack, and inserts the data', async ({ open }) => {
    const id = await registered(dataset, 'fits templates')
    const page = await open('/workflows')
    await page.getByRole('img', { name: /Diagram of First example/ }).waitFor()
    await page.getByRole('button', { name: /Check against a dataset/ }).click()
    await page.getByRole('option', { name: 'fits templates' }).first().click()
    const item = page.getByRole('listitem').filter({
      has: page.getByRole('heading', { name: 'Image and table together' }),
    })
    await item.getByText('Fits this dataset').waitFor()
    expect(new URL(page.url()).searchParams.get('dataset')).toBe(id)
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Use Image and table together' }).click()
    await page.getByRole('heading', { level: 1, name: 'Image and table together' }).waitFor()
    const loads = (await saved(idOf(page))).workflow.nodes.filter(({ type }) => type === 'LoadDataset')
    expect(loads.map(({ config }) => config.dataset_id)).toEqual(loads.map(() => id))
  })

  test('a link shows the same, with missing parts and the remedy', async ({ open }) => {
    const id = await registered(join(dataset, 'train.csv'), 'one table')
    const page = await open(`/workflows?dataset=${id}`)
    const item = page.getByRole('listitem').filter({
      has: page.getByRole('heading', { name: 'Image and table together' }),
    })
    await item.getByText('Does not fit this dataset yet').waitFor()
    await item.getByText('the dataset has no split test').waitFor()
    await item
      .getByText(/Connect DataSplit after LoadDataset/)
      .first()
      .waitFor()
    await expectAccessible(page)
  })
})

describe('a field that names a dataset', () => {
  test('takes a registered one by its name, and a path as before', async ({ open }) => {
    const name = '<b>Registered</b> مرحبا'
    const path = join(dataset, 'val.csv')
    const { body } = await caller().post<{ dataset_id: string }>('/api/datasets', { path, name })
    const { workflow_id } = await create(small('named'))
    const page = await open(`/workflows/${workflow_id}?side=outline&node=load`)
    const { keyboard } = page
    const field = page.getByRole('textbox', { name: 'Dataset (required)' })
    await page.getByRole('button', { name: /Registered dataset/ }).focus()
    await keyboard.press('Enter')
    await page.getByRole('option', { name, exact: true }).waitFor()
    await expectAccessible(page)
    await keyboard.type('<b>')
    await keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe(body.dataset_id)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expectState(page, 'Split data', 'Done')
    await expectAccessible(page)
    await expectNarrow(page)
    // The input is a path and not a registered dataset.
    await field.fill(path)
    await page.getByRole('button', { name: /None: use the table below/ }).waitFor()
    await keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await saved(workflow_id)).workflow.nodes[0]?.config).toEqual({ dataset_id: path })
  })
})

describe('a field that names a registered model', () => {
  test('takes an alias from the list, and the text of an id', async ({ open }) => {
    const config = trainingConfig(dataset, { model: { vision_backbone: 'none' } })
    const job = await caller().ended(await caller().start(config, 'applied'))
    const model = job.model_id ?? ''
    await caller().put('/api/aliases/applied', { model_id: model })
    const predict = { id: 'predict', type: 'PredictCases', position: { x: 0, y: 0 }, config: {} }
    const { workflow_id } = await create({ ...small('applied'), nodes: [predict], connections: [] })
    const page = await open(`/workflows/${workflow_id}?side=outline&node=predict`)
    const field = page.getByRole('textbox', { name: 'Registered model' })
    await page.getByRole('button', { name: /Registered model/ }).press('Enter')
    await page.getByRole('option', { name: /^applied \(/ }).press('Enter')
    await expect.poll(() => field.inputValue()).toBe('applied')
    await expectAccessible(page)
    await field.fill(model)
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await saved(workflow_id)).workflow.nodes[0]?.config).toEqual({ model_id: model })
  })
})

describe('a workflow as a configuration', () => {
  const wire = (id: string, from: string, to: string) => {
    const [source = '', source_port = ''] = from.split('.')
    const [target = '', target_port = ''] = to.split('.')
    return { id, source, source_port, target, target_port }
  }

  test('lists settings that are lost, and opens the training in New training', async ({ open }) => {
    const made = await caller().post<{ workflow: ReturnType<typeof small> }>('/api/workflow/of-training', {
      name: 'there and back',
      config: {
        data: { train_csv: join(dataset, 'train.csv') },
        model: { vision_backbone: 'none', fusion_type: 'concatenate', task: 'classification' },
        training: { epochs: 3, batch_size: 8 },
      },
    })
    const { workflow } = made.body
    const [load] = workflow.nodes
    const split = { id: 'split', type: 'DataSplit', position: { x: 0, y: 900 }, config: {} }
    const { workflow_id } = await create({
      ...workflow,
      nodes: [...workflow.nodes, split],
      connections: [
        ...workflow.connections.map((one) =>
          one.source === load?.id ? { ...one, source: 'split', source_port: 'train_dataset' } : one,
        ),
        wire('c-split', `${load?.id}.dataset`, 'split.dataset'),
      ],
    })
    const page = await open(`/workflows/${workflow_id}`)
    await page.getByRole('button', { name: 'Convert to configuration' }).click()
    await page
      .getByRole('dialog')
      .getByText('a configuration has no key for the selection of these cases')
      .waitFor()
    await expectDialog(page, page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Open in New training' }).click()
    await page.getByRole('heading', { level: 1, name: 'New training' }).waitFor()
    await expect.poll(() => page.getByLabel('Epochs', { exact: false }).first().inputValue()).toBe('3')
  })
})

describe('what passed through a workflow', () => {
  test('each port of a node that ran is looked at, page by page, in the editor and on the run page', async ({
    open,
  }) => {
    const { workflow_id } = await create(small('looked into', 11))
    const page = await open(`/workflows/${workflow_id}?side=outline&view=result&node=split`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expectState(page, 'Split data', 'Done')
    await page.getByText('First rows').waitFor()
    await page.getByRole('button', { name: 'View: val_dataset' }).click()
    await page.getByRole('button', { name: 'View: train_dataset' }).waitFor()
    expect(new URL(page.url()).searchParams.get('port')).toBe('val_dataset')
    await expectAccessible(page)
    // The value on a wire links to its output port, with the keyboard as well.
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: /^Value in the latest run/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Load dataset' }).waitFor()
    const address = new URL(page.url()).searchParams
    expect([address.get('view'), address.get('port')]).toEqual(['result', 'dataset'])
    await page.getByText(/^20 of \d+ rows/).waitFor()
    const first = await page.getByRole('cell').first().textContent()
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => page.getByRole('cell').first().textContent()).not.toBe(first)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => page.getByRole('cell').first().textContent()).toBe(first)
    await page.getByRole('link', { name: 'Open this run' }).click()
    await page.getByText('Completed').first().waitFor()
    await page.getByRole('button', { name: /^split/ }).click()
    await page.getByRole('button', { name: 'View: test_dataset' }).click()
    await page.getByText('First rows').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

/** Reports whether a node is completely visible on the canvas. */
async function isInView(page: Page, id: string): Promise<boolean> {
  const canvas = await page.locator('.react-flow').boundingBox()
  const [card] = await page.locator(`.react-flow__node[data-id="${id}"]`).all()
  const box = await card?.boundingBox()
  if (!canvas || !box) return false
  const inside = (from: number, length: number, start: number, size: number) =>
    from >= start && from + length <= start + size
  return (
    inside(box.x, box.width, canvas.x, canvas.width) && inside(box.y, box.height, canvas.y, canvas.height)
  )
}

/** Checks a state in the outline. */
async function expectState(page: Page, node: string, state: string): Promise<void> {
  await page.getByRole('row', { name: node }).getByText(state, { exact: true }).waitFor()
}
