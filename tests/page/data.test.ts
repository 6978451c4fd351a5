import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const HOSTILE = `<script>alert(1)</script> مرحبا ${'long '.repeat(30)}end`
let folder = ''
let id = ''
const caller = new Caller(shared?.url ?? '')

async function register(path: string, more: object = {}): Promise<string> {
  const { status, body } = await caller.post<{ dataset_id: string }>('/api/datasets', { path, ...more })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.dataset_id
}

/** A table with as many rows as a hospital has, over the few images of the folder. */
function largeTable(rows: number): string {
  const [head = '', ...lines] = readFileSync(join(folder, 'train.csv'), 'utf8').trimEnd().split('\n')
  const many = Array.from({ length: rows }, (_, row) => lines[row % lines.length])
  writeFileSync(join(folder, 'large.csv'), [head, ...many].join('\n'))
  return join(folder, 'large.csv')
}

/** Images in two folders, named by a table whose label is not recognized by its name. */
function asPublished(own: string): string {
  const images = readdirSync(join(folder, 'images')).filter((name) => name.endsWith('.png'))
  const rows = images.map((name, row) => {
    const lesion = `L${100 + Math.floor(row / 2)}`
    const part = join(own, `part_${1 + (row % 2)}`)
    mkdirSync(part, { recursive: true })
    copyFileSync(join(folder, 'images', name), join(part, `${lesion}_${1000 + row}.png`))
    return `${lesion},${lesion}_${1000 + row},${row % 4 < 2 ? 'I' : 'II'},${40 + (row % 9)}`
  })
  writeFileSync(join(own, 'metadata.csv'), `lesion_id,image_id,stage,age\n${rows.join('\n')}\n`)
  return own
}

beforeAll(async () => {
  if (!shared) return
  folder = makeDataset(join(shared.root, 'data'), { cases: 40 })
  id = await register(join(folder, 'train.csv'), { name: HOSTILE })
})

const viewer = (page: Page) => page.getByRole('dialog')

describe('a dataset', () => {
  test('is found in the list and shows the same content as the interface', async ({ open }) => {
    const page = await open('/data')
    await page.getByRole('link', { name: HOSTILE }).click()
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    const record = await caller.get<{ num_cases: number; classes: { name: string; count: number }[] }>(
      `/api/datasets/${id}`,
    )
    await page.getByText(String(record.body.num_cases), { exact: true }).first().waitFor()
    const counts = page.getByRole('region', { name: 'Classes by split' }).getByRole('table')
    for (const { name, count } of record.body.classes) {
      const row = counts.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })
      await row
        .getByRole('cell', { name: String(count), exact: true })
        .first()
        .waitFor()
    }
    await page.getByRole('button', { name: 'age', exact: true }).click()
    await page.getByRole('heading', { name: 'Distribution of age' }).waitFor()
    expect(page.url()).toContain('column=age')
    await page.getByRole('button', { name: 'Show as table' }).click()
    await page.getByRole('table').last().waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('has its images asked for while its code is loaded, each once', async ({ open }) => {
    const page = await open('/data')
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    // The code arrives only when the test permits it.
    const held: Route[] = []
    await page.route(/assets\/dataset-page.*\.js/, (route) => void held.push(route))
    const bodies: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/thumbnails')) bodies.push(request.postData() ?? '')
    })
    const first = page.waitForRequest(/thumbnails$/)
    void page.goto(`/data/${id}?tab=images`, { waitUntil: 'commit' })
    await first
    expect(await page.getByRole('grid').count()).toBe(0)
    await expect.poll(() => held.length).toBeGreaterThan(0)
    for (const route of held) await route.continue()
    await page.unrouteAll()
    await page.getByRole('grid').locator('img').first().waitFor()
    expect(new Set(bodies).size).toBe(bodies.length)
  })

  test('shows its cases without identifiers until they are asked for, filtered and sorted', async ({
    open,
    expected,
  }) => {
    expected.push(/status of 400/)
    const page = await open(`/data/${id}?tab=cases`)
    const table = page.getByRole('region', { name: 'Cases of the dataset' })
    await table.getByRole('cell', { name: '#1' }).first().waitFor()
    const patient = readFileSync(join(folder, 'train.csv'), 'utf8').match(/P\d+/)?.[0] ?? 'no patient'
    expect(await page.content()).not.toContain(patient)
    await page.getByRole('button', { name: 'Show identifiers' }).click()
    await table.getByText(patient, { exact: true }).first().waitFor()
    expect(page.url()).not.toContain('identifiers')
    const condition = page.getByLabel('Filter')
    await condition.fill('agee > 3')
    await condition.press('Enter')
    await page.getByText('FILTER_INVALID').waitFor()
    await condition.fill('age > 1000')
    await condition.press('Enter')
    await page.getByText('No matching cases.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'age', exact: true }).click()
    await page
      .getByRole('columnheader', { name: 'age', exact: true })
      .and(page.locator('[aria-sort]'))
      .waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('shows its images; one is looked at by keyboard, zoomed, and seen as the model does', async ({
    open,
  }) => {
    const page = await open(`/data/${id}?tab=images`)
    const { keyboard } = page
    const first = page.locator('[data-index="0"]')
    await first.locator('img').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await first.focus()
    await keyboard.press('ArrowRight')
    await page.locator('[data-index="1"]:focus').waitFor()
    await keyboard.press('Enter')
    const image = viewer(page).getByRole('img', { name: /^Image of case 2/ })
    await image.waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await image.focus()
    const shot = async () => (await image.screenshot()).toString('base64')
    // The image is sharp shortly after it first appears.
    let whole = ''
    await expect
      .poll(async () => {
        const before = whole
        whole = await shot()
        return whole === before
      })
      .toBe(true)
    await keyboard.press('+')
    await keyboard.press('+')
    expect(await shot()).not.toBe(whole)
    await keyboard.press('0')
    expect(await shot()).toBe(whole)
    await keyboard.press('ArrowRight')
    await viewer(page).getByRole('heading', { name: 'Case 3' }).waitFor()
    await viewer(page).getByLabel('View').click()
    await page.getByRole('option', { name: 'Model input' }).click()
    await page.waitForURL(/as=model/)
    await page.reload()
    await viewer(page).getByText('The exact pixels').waitFor()
    await keyboard.press('Escape')
    await viewer(page).waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('row=')
  })

  test('states why an image cannot be read, and shows the others', async ({ open, expected }) => {
    expected.push(/status of (400|404)/)
    const own = join(shared?.root ?? '', 'unreadable')
    makeDataset(own, { cases: 40 })
    const dataset = await register(join(own, 'train.csv'))
    const [, row = ''] = readFileSync(join(own, 'train.csv'), 'utf8').split('\n')
    const image = row.split(',').find((cell) => /\.png$/.test(cell)) ?? ''
    writeFileSync(join(own, image), 'no image')
    const page = await open(`/data/${dataset}?tab=images`)
    await page.locator('[data-index="0"]').getByText('Cannot be displayed').waitFor()
    await page.locator('[data-index="1"] img').waitFor()
    await page.locator('[data-index="0"]').click()
    await viewer(page).getByText('IMAGES_UNREADABLE').waitFor()
    await viewer(page).getByRole('button', { name: 'Next case' }).click()
    await viewer(page).getByRole('img').waitFor()
  })

  test('of thousands of cases has no more in the document than are seen', async ({ open }) => {
    const dataset = await register(largeTable(5000))
    const page = await open(`/data/${dataset}?tab=images`)
    await page.locator('[data-index="5"] img').waitFor()
    expect(await page.getByRole('gridcell').count()).toBeLessThan(100)
    await page.locator('[data-index="0"]').focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('PageDown')
    await page.locator('button[data-index]:focus img').waitFor()
    expect(await page.getByRole('gridcell').count()).toBeLessThan(100)
  })

  test('has columns that stay as wide as they are while thousands of cases are scrolled', {
    tags: ['full'],
  }, async ({ open }) => {
    const dataset = await register(largeTable(5000))
    const page = await open(`/data/${dataset}?tab=cases`)
    const cases = page.getByRole('region', { name: 'Cases of the dataset' })
    await cases.getByRole('row').nth(5).waitFor()
    // A busy machine renders frames so late that a scroll ends between two of them, where columns may change: widths are then fixed again.
    const { compared, moved } = await cases.evaluate(async (region) => {
      const seen = { compared: 0, moved: 0 }
      let [holds, holdsBefore, before] = [0, -1, '']
      const table = region.querySelector('table')
      if (!table) throw new Error('The region of the cases holds no table.')
      new MutationObserver(() => holds++).observe(table, { attributeFilter: ['style'] })
      for (let frame = 0; frame < 60; frame++) {
        region.scrollBy(0, 3000)
        await new Promise(requestAnimationFrame)
        const cells = [...region.querySelectorAll('th')]
        const widths = cells.map((cell) => cell.getBoundingClientRect().width.toFixed()).join(' ')
        const held = holds === holdsBefore && table.style.tableLayout === 'fixed'
        seen.compared += Number(held)
        seen.moved += Number(held && widths !== before)
        holdsBefore = holds
        before = widths
      }
      return seen
    })
    expect(moved).toBe(0)
    expect(compared).toBeGreaterThan(5)
  })

  test('that was removed elsewhere reports this, and links back', async ({ open, expected }) => {
    expected.push(/status of 404/)
    const table = join(folder, 'gone.csv')
    writeFileSync(table, readFileSync(join(folder, 'val.csv')))
    const dataset = await register(table)
    const page = await open(`/data/${dataset}`)
    await page.getByRole('heading', { level: 1, name: 'gone.csv' }).waitFor()
    await caller.delete(`/api/datasets/${dataset}`)
    await page.getByText('DATASET_NOT_FOUND').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'All datasets' }).click()
    await page.getByRole('heading', { level: 1, name: 'Data' }).waitFor()
  })

  test('whose file is missing reports this in place', async ({ open, expected }) => {
    expected.push(/status of 400/)
    const table = join(folder, 'moved.csv')
    writeFileSync(table, readFileSync(join(folder, 'val.csv')))
    const dataset = await register(table)
    unlinkSync(table)
    const page = await open(`/data/${dataset}?tab=cases`)
    await page.getByText('FILE_NOT_FOUND').waitFor()
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByRole('button', { name: 'Find possible leaks' }).waitFor()
  })
})

describe('what is wrong with data', () => {
  test('is corrected by its button: the roles change, and the data are inspected again', async ({ open }) => {
    const table = join(folder, 'assumed.csv')
    const rows = Array.from({ length: 60 }, (_, row) => `P${row},${row % 7},${row % 2 ? 'ack' : 'bcc'}`)
    writeFileSync(table, `patient_id,code,label\n${rows.join('\n')}\n`)
    const dataset = await register(table)
    const page = await open(`/data/${dataset}?tab=checks`)
    await page.getByRole('button', { name: 'Choose the positive class' }).click()
    await page.getByLabel('Positive class').click()
    await page.getByRole('option', { name: 'ack', exact: true }).click()
    await page.getByRole('button', { name: /Role of code/ }).click()
    await page.getByRole('option', { name: 'Categorical' }).click()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Inspect with these roles' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { body } = await caller.get<{ positive_class: string; columns: { name: string; role: string }[] }>(
      `/api/datasets/${dataset}`,
    )
    expect(body.positive_class).toBe('ack')
    expect(body.columns.find(({ name }) => name === 'code')?.role).toBe('categorical')
    expect(await page.getByText('POSITIVE_CLASS_ASSUMED').count()).toBe(0)

    // A training on it uses the selection, from the form to the prepared data.
    await page.goto(`/train?dataset=${dataset}`)
    await page.getByRole('textbox', { name: 'YAML' }).getByText('positive_class: ack').waitFor()
    await page.getByRole('combobox', { name: 'Vision backbone (required)' }).fill('none')
    await page.keyboard.press('Escape')
    // Small enough to be recorded.
    await page.locator('summary', { hasText: 'Model' }).click()
    await page.getByRole('textbox', { name: 'Fused representation width' }).fill('16')
    await page.getByLabel('Epochs (required)').fill('1')
    await page.getByRole('button', { name: 'Start training' }).click()
    await page.waitForURL(/\/runs\/[\w-]+$/)
    const job = await caller.ended(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    expect(job).toMatchObject({ status: 'completed', config: { data: { positive_class: 'ack' } } })
    expect(job.prepared).toMatchObject({
      label_column: 'label',
      patient_column: 'patient_id',
      numeric_columns: [],
      categorical_columns: ['code'],
    })
  })

  test('leaking pairs are shown side by side', async ({ open }) => {
    const table = join(folder, 'leaking.csv')
    const [head = '', ...lines] = readFileSync(join(folder, 'train.csv'), 'utf8').trimEnd().split('\n')
    const [first = '', ...rest] = lines
    const patient = first.match(/P\d+/)?.[0] ?? ''
    const rows = [
      `${first},train`,
      ...rest.map((line) => `${line},train`),
      `${first.replace(patient, 'P9999')},test`,
    ]
    writeFileSync(table, [`${head},split`, ...rows].join('\n'))
    const dataset = await register(table)
    const page = await open(`/data/${dataset}?tab=checks`)
    await page.getByRole('button', { name: 'Find possible leaks' }).click()
    const pair = page.getByRole('listitem').filter({ hasText: 'Identical file, different patients' }).first()
    await pair.locator('img').nth(1).waitFor()
    expect(await page.content()).not.toContain('P9999')
    await expectAccessible(page)
    await expectNarrow(page)
    await page.reload()
    await pair.locator('img').nth(1).waitFor()
  })
})

describe('a new dataset', () => {
  test('is chosen among the folders of the service and registered, by keyboard alone', async ({ open }) => {
    const own = join(shared?.root ?? '', 'by keyboard')
    mkdirSync(own, { recursive: true })
    makeDataset(own, { cases: 40 })
    const page = await open(`/data/new?folder=${encodeURIComponent(own)}`)
    const { keyboard } = page
    const list = page.getByRole('listbox', { name: 'Files and folders' })
    await list.getByRole('option', { name: 'train.csv' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await list.getByRole('option').first().focus()
    await keyboard.type('train')
    await keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    const inspection = new URL(page.url()).searchParams.get('task')
    const registered = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByLabel('Name', { exact: true }).focus()
    await keyboard.type('typed')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor()
    // The inspected result is registered unchanged: nobody waits for an inspection twice.
    expect((await registered).postDataJSON()).toMatchObject({ inspection })
    rmSync(own, { recursive: true })
  })

  test('is uploaded, also when the connection breaks in the middle', async ({ open, expected }) => {
    expected.push(/ERR_FAILED|ERR_CONNECTION/)
    const page = await open('/data/new')
    let broken = 0
    await page.route('**/api/uploads/*?offset=*', async (route) => {
      broken += 1
      // The response to the first piece never arrives, although the piece does.
      if (broken > 1) return route.continue()
      await route.fetch()
      await route.abort('failed')
    })
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await choosing).setFiles({
      name: 'sent.csv',
      mimeType: 'text/csv',
      buffer: readFileSync(join(folder, 'train.csv')),
    })
    await page.getByLabel('Folder name on the server').fill('sent from here')
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('button', { name: 'Register' }).waitFor()
    await page.getByText('sent from here/sent.csv').waitFor()
    expect(broken).toBeGreaterThan(0)
    // The same file after a reload: it exists, and only the missing pieces are sent.
    expected.push(/status of 400/)
    await page.unrouteAll()
    await page.goto('/data/new')
    const again = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await again).setFiles({
      name: 'sent.csv',
      mimeType: 'text/csv',
      buffer: readFileSync(join(folder, 'train.csv')),
    })
    await page.getByLabel('Folder name on the server').fill('sent from here')
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('button', { name: /^Keep both/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Upload only the missing files' }).click()
    await page.getByText('sent from here/sent.csv').waitFor()
  })

  test('is made of a table and two folders of images by a proposed recipe, after a question', async ({
    open,
  }) => {
    const own = asPublished(join(shared?.root ?? '', 'as published'))
    const page = await open(`/data/new?folder=${encodeURIComponent(own)}`)
    const { keyboard } = page
    await page.getByRole('button', { name: 'Choose this folder' }).click()
    await page.getByRole('button', { name: 'Find out how the files belong together' }).click()
    const question = page.getByRole('radiogroup', { name: 'Which column is the label?' })
    await question.waitFor()
    await page.getByText('The files become one table with 40 rows and 5 columns.').waitFor()
    await page.getByText('"image_id" names 40 files').waitFor()
    await expectAccessible(page, { colors: true })
    await expectNarrow(page)
    await question.getByRole('radio', { name: 'Leave open' }).focus()
    await keyboard.press('ArrowDown')
    expect(await question.getByRole('radio', { name: 'stage' }).isChecked()).toBe(true)
    await page.getByText('Update the proposal first').waitFor()
    await page.getByRole('button', { name: 'Update the proposal' }).focus()
    await keyboard.press('Enter')
    await page.getByLabel('Label column').waitFor()
    expect(await question.count()).toBe(0)
    await page.getByText('Show the recipe (YAML)').click()
    await page.getByRole('region', { name: 'Recipe' }).getByText('key: image_id').waitFor()
    await page.getByRole('button', { name: 'Use this proposal' }).click()
    const image = page.getByRole('row').filter({ has: page.getByText('image', { exact: true }) })
    await image.getByRole('button', { name: /Inferred: Image/ }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    const pairs = page.getByRole('region', { name: 'Rows and their images' }).getByRole('listitem')
    expect(await pairs.count()).toBe(10)
    // The made cases are beside the rows of their source, each with its image.
    const [rows, cases] = [/^Rows in /, 'Cases as a training reads them'].map((name) =>
      page.getByRole('region', { name }),
    )
    await expect
      .poll(() => cases?.getByRole('img', { name: /^Image of .*, row \d+ \(image\)$/ }).count())
      .toBe(10)
    expect(await rows?.getByRole('row').count()).toBe(11)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { level: 1, name: 'as published' }).waitFor()
    const dataset = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { body } = await caller.get<object>(`/api/datasets/${dataset}`)
    expect(body).toMatchObject({
      kind: 'multimodal',
      num_cases: 40,
      recipe: { images: [{ search: ['part_1', 'part_2'] }], label: { column: 'stage' } },
    })
    await page.getByRole('link', { name: 'Train a model' }).click()
    await page.getByRole('textbox', { name: 'YAML' }).getByText('key: image_id').waitFor()
  })

  test('shows the progress of its inspection, and cancels it on request', async ({ open }) => {
    const own = makeDataset(join(shared?.root ?? '', 'counted'), { cases: 40 })
    const page = await open(`/data/new?folder=${encodeURIComponent(own)}`)
    // Simulates many images, which take longer than those of a test.
    const running = {
      ...{ state: 'running', progress: 0.45, phase: 'reading the images, 450 of 900' },
      ...{ result: null, error: null },
    }
    await page.route(/\/api\/tasks\/[^/]+$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...running } })
    })
    await page.getByRole('option', { name: 'train.csv' }).click()
    const bar = page.getByRole('progressbar', { name: 'Inspection' })
    await bar.waitFor()
    await page.getByText('reading the images, 450 of 900').waitFor()
    expect(await bar.getAttribute('aria-valuenow')).toBe('45')
    const cancelled = page.waitForRequest(/\/cancel$/)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await cancelled
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('that is not a table states the reason', async ({ open, expected }) => {
    expected.push(/status of 400/)
    writeFileSync(join(folder, 'ragged.csv'), 'a,label\n1,2\n1,2,3\n')
    const page = await open(`/data/new?folder=${encodeURIComponent(folder)}`)
    await page.getByRole('option', { name: 'ragged.csv' }).click()
    await page.getByText('CSV_MALFORMED').waitFor()
    await page.getByRole('link', { name: 'Choose other data' }).click()
    await page.getByRole('option', { name: 'ragged.csv' }).waitFor()
  })
})
