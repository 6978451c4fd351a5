import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { ofOneClass } from '../recordings/kinds.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { canMount, SmallDisk } from '../testing/small-disk.js'
import { longTrainingConfig } from '../testing/training.js'
import { expectDialog } from './testing/dialog.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'
import { SERVICE_ENDED } from './testing/watch.js'

/** A service only for this file: it is empty first, then one training passes through the tests, and the disk is full at the end. */
let service: RunningService
let disk: SmallDisk | undefined
const folder = temporaryFolder('page-failure')
const dataDir = join(folder, 'data')
let dataset = ''

beforeAll(async () => {
  if (!shared) return
  if (canMount) disk = new SmallDisk(dataDir, 200)
  dataset = makeDataset(join(folder, 'set'), { cases: 40 })
  service = await start()
})
afterAll(async () => {
  await service?.kill()
  disk?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const start = (...more: string[]) =>
  startService({ roots: [folder], dataDir, trainer: 'recorded', arguments: more })

/** Slow enough to be watched, without the processor time of a real training: see the words of the replay trainer. */
const NAME = 'long recording=one-class batches=2 delay=50 whole'

const caller = () => new Caller(service.url)

/** Two thousand epochs on the table only; all validation cases belong to one class, so there is no AUC. */
function oneClassInValidation(): object {
  const file = join(dataset, 'one-class.csv')
  writeFileSync(file, ofOneClass(readFileSync(join(dataset, 'val.csv'), 'utf8')))
  return longTrainingConfig(dataset, { model: { vision_backbone: 'none' }, data: { val_csv: file } })
}

/** The epoch shown on the page of a running training. */
async function epochOf(page: Page): Promise<number> {
  const progress = page.getByText(/Epoch \d+ of 2000/)
  await progress.waitFor()
  return Number(/Epoch (\d+)/.exec((await progress.textContent()) ?? '')?.[1])
}

test('an empty service reports this on every page, with the next step', async ({ open }) => {
  const page = await open('/', { url: service.url })
  for (const [address, words] of [
    ['/', 'Try the example'],
    ['/train', 'No datasets are registered yet'],
    ['/data', 'No datasets yet.'],
    ['/runs', 'No trainings yet.'],
    ['/studies', 'No studies yet.'],
    ['/models', 'No models yet.'],
    ['/workflows', 'No workflows yet.'],
    ['/compare', 'Go to runs'],
    ['/system', 'No tasks yet.'],
  ] as const) {
    await page.goto(address)
    await page.getByRole('main').getByText(words).first().waitFor()
    if (address !== '/') continue
    await expectAccessible(page)
    await expectNarrow(page)
  }
})

test('a hung service with open sockets is reported at once, and missed updates are shown when it continues', async ({
  open,
}) => {
  const [page, list] = [await open('/train', { url: service.url }), await open('/data', { url: service.url })]
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.waitFor()
  await list.getByText('No datasets yet.').waitFor()
  const table = join(dataset, 'train.csv')
  service.process.kill('SIGSTOP')
  const registered = caller().post('/api/datasets', { path: table, name: 'sent while it hung' })
  // Without polling: long before the 45 s after which a silent socket counts as lost.
  for (const tab of [page, list])
    await tab.getByText('The service is not responding.').waitFor({ timeout: 20_000 })
  await name.fill('typed meanwhile')
  service.process.kill('SIGCONT')
  for (const tab of [page, list])
    await tab.getByText('The service is not responding.').waitFor({ state: 'detached' })
  const { status, body } = await registered
  expect(status, JSON.stringify(body)).toBe(200)
  await list.getByRole('link', { name: 'sent while it hung' }).waitFor()
  expect(await name.inputValue()).toBe('typed meanwhile')
  await caller().delete(`/api/datasets/${body.dataset_id}`)
})

test('a browser without storage and a network without sockets: entered text is preserved, and the progress of a training is shown', async ({
  open,
}) => {
  const page = await open('/', { url: service.url })
  await page.routeWebSocket(/.*/, (socket) => socket.close())
  await page.addInitScript(() => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: denied })
  })
  await page.goto('/train')
  await page.getByLabel('Name', { exact: true }).fill(NAME)
  const yaml = page.getByRole('textbox', { name: 'YAML' })
  await yaml.fill(JSON.stringify(oneClassInValidation()))
  await page.getByRole('button', { name: /Theme/ }).click()
  await page.getByRole('option', { name: 'Dark' }).click()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByText('No trainings yet.').waitFor()
  await page.goBack()
  expect(await page.getByLabel('Epochs (required)').inputValue()).toBe('2000')
  await page.getByRole('button', { name: 'Start training' }).click()
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  const first = await epochOf(page)
  await expect.poll(() => epochOf(page)).toBeGreaterThan(first)
  // A metric without a value is a gap, with its reason.
  await page.getByText('AUROC, validation').first().waitFor()
})

test('a service that is killed during a training: reported, entered text preserved, and every step shown afterwards', async ({
  open,
  expected,
}) => {
  expected.push(...SERVICE_ENDED)
  const { body } = await caller().get<{ jobs: Job[] }>('/api/training')
  const id = body.jobs[0]?.job_id ?? ''
  const page = await open(`/runs/${id}`, { url: service.url })
  const list = await open('/runs', { url: service.url })
  const before = await epochOf(page)
  await list.getByText(/Epoch \d+ of 2000/).waitFor()
  await page.getByRole('button', { name: 'Edit name, tags and note' }).click()
  await page.getByRole('dialog').getByLabel('Note').fill('typed before')
  await service.kill()
  for (const tab of [page, list])
    await tab.getByText('The service is not responding.').waitFor({ timeout: 5_000 })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  service = await start('--port', new URL(service.url).port)
  for (const tab of [page, list])
    await tab.getByText('The service is not responding.').waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('typed before', { exact: true }).waitFor()
  await expect.poll(() => epochOf(page)).toBeGreaterThan(before)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('dialog').getByText('The model of the best epoch so far is registered.').waitFor()
  await expectDialog(page, page.getByRole('dialog'))
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Finish early' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Finish early' }).click()
  await page.getByText('Completed').first().waitFor()
  await list.getByRole('cell', { name: 'Completed' }).waitFor()
  const job = await caller().status(id)
  await page
    .locator('div', { has: page.locator('dt', { hasText: 'Best epoch' }) })
    .getByText(String(job.best?.epoch), { exact: true })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Show as table' }).click()
  const rows = page.getByRole('region', { name: 'Loss', exact: true }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(Math.min(job.epoch, 1000) + 1)
})

test('a training that is deleted elsewhere reports this', async ({ open, expected }) => {
  expected.push(/status of 404/)
  const { body } = await caller().get<{ jobs: Job[] }>('/api/training')
  const id = body.jobs[0]?.job_id ?? ''
  const page = await open(`/runs/${id}`, { url: service.url })
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  await caller().delete(`/api/models/${body.jobs[0]?.model_id}`)
  expect((await caller().delete(`/api/training/${id}`)).status).toBe(200)
  await page.getByText('JOB_NOT_FOUND').waitFor()
})

test('a failed part reports this in its place, the others remain, and it can be retried', async ({
  open,
  expected,
}) => {
  expected.push(/status of 500/, /^console: (MedloomError: broken|TypeError: Cannot read)/)
  const page = await open('/', { url: service.url })
  const broken = { error: 'broken', code: 'INTERNAL_ERROR', details: '', request_id: 'r', issues: [] }
  await page.route('**/api/system/cache', (route) => route.fulfill({ status: 500, json: broken }))
  await page.goto('/system')
  const panel = page.getByRole('region', { name: 'Caches' })
  await panel.getByText('INTERNAL_ERROR').waitFor()
  await page.getByText(folder, { exact: true }).waitFor()
  await expectAccessible(page)
  await expectNarrow(page)
  // An undeclared response causes neither a raw object nor a blank page.
  await page.unroute('**/api/system/cache')
  await page.route('**/api/system/cache', (route) => route.fulfill({ json: [1] }))
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByText('This part of the page could not be displayed.').waitFor()
  await page.unroute('**/api/system/cache')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByRole('alert').waitFor({ state: 'detached' })
})

;(canMount ? test : test.skip)(
  'a full disk stops an upload with its reason; with room again it goes on',
  async ({ open, expected }) => {
    expected.push(/status of 50\d/)
    const page = await open('/data/new', { url: service.url })
    const filler = join(dataDir, 'filler')
    const buffer = Buffer.alloc(6_000_000, '1,2\n')
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await choosing).setFiles({ name: 'large.csv', mimeType: 'text/csv', buffer })
    fill(filler)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('DISK_FULL').waitFor()
    await expectAccessible(page)
    rmSync(filler)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('large/large.csv').waitFor()
  },
)

/** Fills the disk except for one megabyte. */
function fill(file: string): void {
  const { bavail, bsize } = statfsSync(dataDir)
  writeFileSync(file, Buffer.alloc(bavail * bsize - 1_000_000))
}
