import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'
import { expectDialog } from './testing/dialog.js'
import { reach } from './testing/input-devices.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

let dataset = ''
beforeAll(() => {
  if (shared) dataset = makeDataset(join(shared.root, 'training'), { cases: 40 })
})

const tableAlone = () => trainingConfig(dataset, { model: { vision_backbone: 'none' } })

/** Enters the six settings of a small table training like a user, in a form without the newest dataset of other tests. */
async function fillIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByRole('textbox', { name: 'Training table (required)' }).fill(join(dataset, 'train.csv'))
  await page.getByRole('combobox', { name: 'Vision backbone (required)' }).fill('none')
  await page.getByLabel('Epochs (required)').fill('2')
  await page.getByLabel('Batch size (required)').fill('8')
}

describe('a training on the page', () => {
  test('goes from the form to figures that are those of the interface, by mouse', async ({ open }) => {
    const page = await open('/train')
    // Words of the replay trainer, because the weights of the default width are too large to be recorded.
    const name = 'by mouse batches=4 whole'
    await fillIn(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Fusion type (required)').click()
    await page.getByRole('option', { name: 'concatenate', exact: true }).click()
    await page.getByRole('textbox', { name: 'YAML' }).getByText('fusion_type: concatenate').waitFor()
    await page.getByRole('button', { name: 'Start training' }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText('Completed').first().waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { best } = await new Caller(shared?.url ?? '').status(id)
    for (const [key, name] of Object.entries({ val_auc: 'AUROC, validation', val_loss: 'Loss, validation' }))
      await page
        .locator('div', { has: page.locator('dt', { hasText: name }) })
        .getByText((best?.metrics[key] ?? Number.NaN).toFixed(3), { exact: true })
        .first()
        .waitFor()
    await page.getByRole('figure', { name: 'AUROC, validation' }).waitFor()
    // A training of a few seconds may have ended before it was measured.
    const measured = await new Caller(shared?.url ?? '').get<{ step: number[] }>(
      `/api/training/${id}/resources`,
    )
    if (measured.body.step.length > 0) await page.getByRole('figure', { name: 'Memory (GB)' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('goes by keyboard alone', async ({ open }) => {
    const page = await open('/train')
    const { keyboard } = page
    await page.getByRole('textbox', { name: 'YAML' }).focus()
    // The draft may already contain a dataset of another test.
    await keyboard.press('Control+a')
    await keyboard.insertText(JSON.stringify(tableAlone()))
    await keyboard.press('Escape')
    await page.getByText('Six settings are enough').waitFor()
    const start = page.getByRole('button', { name: 'Start training' })
    // The button is not available until the whole text is parsed, and cannot be reached.
    await expect.poll(() => page.getByLabel('Batch size (required)').inputValue()).not.toBe('')
    await expect.poll(() => start.isEnabled()).toBe(true)
    await reach(page, start, 'Shift+Tab')
    await keyboard.press('Enter')
    await page.waitForURL(/\/runs\/[\w-]+$/)
    await page.getByText('Completed').first().waitFor()
  })

  test('requests confirmation for a start that would fail, shows the reason at its field, and preserves entered text', async ({
    open,
  }) => {
    const page = await open('/train')
    await fillIn(page)
    await page.getByLabel('Epochs (required)').fill('0')
    await page.getByText('training.epochs').first().waitFor()
    await page.getByRole('button', { name: 'Start training' }).click()
    const dialog = page.getByRole('dialog', { name: 'This training would fail' })
    await dialog.getByText('training.epochs').waitFor()
    await expectDialog(page, page.getByRole('dialog'))
    await page.keyboard.press('Escape')
    await page.reload()
    expect(await page.getByLabel('Epochs (required)').inputValue()).toBe('0')
    await page.getByLabel('Epochs (required)').fill('1.5')
    await page.getByText('Enter a whole number.').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

describe('the figures of a training', () => {
  test('state that they belong to several networks if no curve shows them', async ({ open }) => {
    const caller = new Caller(shared?.url ?? '')
    // Each network has its own best epoch, so that together they reach a result that no epoch shows.
    const networks = trainingConfig(dataset, {
      model: { vision_backbone: 'none', members: 3 },
      training: { epochs: 30, learning_rate: 0.05 },
    })
    const ids = await Promise.all([
      caller.start(networks, 'of several'),
      caller.start(tableAlone(), 'of one'),
    ])
    const [several, one] = await Promise.all(ids.map((id) => caller.ended(id)))
    const combined = /^These results combine all networks after the last epoch\./
    const page = await open(`/runs/${several?.job_id}`)
    await page.getByText(combined).waitFor()
    const loss = (several?.best?.metrics.val_loss ?? Number.NaN).toFixed(3)
    await page
      .locator('div', { has: page.locator('dt', { hasText: 'Loss, validation' }) })
      .getByText(loss, { exact: true })
      .first()
      .waitFor()
    await expectAccessible(page)
    await page.goto(`/runs/${one?.job_id}`)
    await page.getByRole('figure', { name: 'AUROC, validation' }).waitFor()
    expect(await page.getByText(combined).count()).toBe(0)
  })
})

describe('a path', () => {
  test('is chosen by opening folders and taking a file', async ({ open }) => {
    const page = await open('/train')
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByRole('button', { name: 'Browse: Training table (required)' }).click()
    const dialog = page.getByRole('dialog')
    const take = (name: string) =>
      dialog
        .getByRole('option')
        .filter({ has: page.getByText(name, { exact: true }) })
        .click()
    await take(basename(shared?.root ?? ''))
    await take(basename(dataset))
    await dialog.getByText(dataset, { exact: true }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Up' }).click()
    await take(basename(dataset))
    await take('train.csv')
    await dialog.waitFor({ state: 'detached' })
    const field = page.getByRole('textbox', { name: 'Training table (required)' })
    expect(await field.inputValue()).toBe(join(dataset, 'train.csv'))
  })
})

describe('the list of trainings', () => {
  test('is searched, labeled and compared by its address', async ({ open }) => {
    const caller = new Caller(shared?.url ?? '')
    const id = await caller.start(tableAlone(), '<b>مرحبا</b> listed')
    await caller.ended(id)
    const page = await open('/runs?q=listed')
    const link = page.getByRole('link', { name: '<b>مرحبا</b> listed' })
    await link.waitFor()
    expect(await page.getByText('1 training', { exact: true }).count()).toBe(1)
    await page.getByRole('checkbox', { name: 'Select <b>مرحبا</b> listed' }).check({ force: true })
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('textbox', { name: 'Tag' }).fill('Kept')
    await page.getByRole('dialog').getByRole('button', { name: 'Tag' }).click()
    await page.getByRole('cell', { name: 'kept' }).waitFor()
    expect((await caller.status(id)).tags).toEqual(['kept'])
    await link.click()
    await page.getByRole('heading', { level: 1, name: '<b>مرحبا</b> listed' }).waitFor()
    await page.goBack()
    await page.getByText('1 selected').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('No matching trainings.').waitFor()
  })
})

describe('a list', () => {
  test('shows a training that somebody else starts, without asking', async ({ open }) => {
    const page = await open('about:blank')
    await page.clock.install()
    await page.goto('/runs?q=elsewhere')
    await page.getByText('No matching trainings.').waitFor()
    const paths: string[] = []
    page.on('request', (request) => paths.push(new URL(request.url()).pathname))
    const caller = new Caller(shared?.url ?? '')
    const id = await caller.start(tableAlone(), 'elsewhere')
    await page.getByRole('link', { name: 'elsewhere' }).waitFor({ timeout: 5_000 })
    await caller.ended(id)
    await page.getByRole('cell', { name: 'Completed' }).waitFor()
    // Less than the time after which a silent socket counts as lost. Remaining messages about the training may fall into one such
    // period; a list that polls sends requests in each.
    const askedBy = async (time: string) => {
      paths.length = 0
      await page.clock.fastForward(time)
      // All earlier requests are recorded when this one is answered.
      await page.evaluate(() => fetch('/api/system/info'))
      return paths.filter((path) => path === '/api/training')
    }
    await expect.poll(() => askedBy('00:30')).toEqual([])
  })
})
