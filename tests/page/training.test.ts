import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { expectAccessible, expectNarrow } from './testing/looks.js'
import { shared, test } from './testing/test.js'

const ENDS = { timeout: 90_000 }
let dataset = ''
beforeAll(() => {
  if (shared) dataset = makeDataset(join(shared.root, 'training'), { cases: 40 })
})

const tableAlone = () => trainingConfig(dataset, { model: { vision_backbone: 'none' } })

/** The six settings of a small training of the table, as a person enters them. */
async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Train csv (required)').fill(join(dataset, 'train.csv'))
  await page.getByLabel('Vision backbone (required)').fill('none')
  await page.getByLabel('Epochs (required)').fill('2')
  await page.getByLabel('Batch size (required)').fill('8')
}

describe('a training on the page', () => {
  test('goes from the form to figures that are those of the interface, by mouse', async ({ open }) => {
    const page = await open('/train')
    await page.getByLabel('Name', { exact: true }).fill('by mouse')
    await fillIn(page)
    await page.getByLabel('Fusion type (required)').click()
    await page.getByRole('option', { name: 'concatenate', exact: true }).click()
    expect(await page.getByLabel('The same as YAML').inputValue()).toContain('fusion_type: concatenate')
    await page.getByRole('button', { name: 'Start training' }).click()
    await page.getByRole('heading', { level: 1, name: 'by mouse' }).waitFor()
    await page.getByText('Completed').first().waitFor(ENDS)
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { best } = await new Caller(shared?.url ?? '').status(id)
    for (const name of ['val_auc', 'val_loss'])
      await page
        .locator('div', { has: page.locator('dt', { hasText: name }) })
        .getByText((best?.metrics[name] ?? Number.NaN).toFixed(3), { exact: true })
        .first()
        .waitFor()
    await page.getByRole('figure', { name: 'val_auc' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('goes by keyboard alone', async ({ open }) => {
    const page = await open('/train')
    const { keyboard } = page
    await page.getByLabel('The same as YAML').focus()
    await keyboard.type(JSON.stringify(tableAlone()))
    await page.getByText('Six settings decide').waitFor()
    for (let steps = 0; steps < 60; steps++) {
      const focused = await page.evaluate(() => document.activeElement?.textContent)
      if (focused === 'Start training') break
      await keyboard.press('Shift+Tab')
    }
    await keyboard.press('Enter')
    await page.waitForURL(/\/runs\/[\w-]+$/)
    await page.getByText('Completed').first().waitFor(ENDS)
  })

  test('shows what the service refuses at its field, and keeps what was typed', async ({
    open,
    expected,
  }) => {
    expected.push(/status of 400/)
    const page = await open('/train')
    await fillIn(page)
    await page.getByLabel('Epochs (required)').fill('0')
    await page.getByRole('button', { name: 'Start training' }).click()
    await page.getByText('training.epochs').first().waitFor()
    await page.reload()
    expect(await page.getByLabel('Epochs (required)').inputValue()).toBe('0')
    await page.getByLabel('Epochs (required)').fill('1.5')
    await page.getByText('A whole number is expected.').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

describe('the list of trainings', () => {
  test('is searched, labelled and compared by its address', async ({ open }) => {
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
    await page.getByText('No training matches these choices.').waitFor()
  })
})

describe('the connection', () => {
  test('is told within two seconds after the service is gone', async ({ open, expected }) => {
    expected.push(/ERR_CONNECTION_REFUSED/, /WebSocket connection to .* failed/)
    const folder = temporaryFolder('gone')
    const service = await startService({ roots: [folder] })
    const page = await open('/', { url: service.url })
    await page.getByText('Nothing is running.').waitFor()
    await service.kill()
    await page.getByText('The service does not answer.').waitFor({ timeout: 5_000 })
    for (const made of [folder, service.dataDir]) rmSync(made, { recursive: true, force: true })
  })
})

describe('a list', () => {
  test('shows a training that somebody else starts, without asking', async ({ open }) => {
    const page = await open('/runs?q=elsewhere')
    await page.getByText('No training matches these choices.').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const caller = new Caller(shared?.url ?? '')
    const id = await caller.start(tableAlone(), 'elsewhere')
    await page.getByRole('link', { name: 'elsewhere' }).waitFor({ timeout: 5_000 })
    await caller.ended(id)
    await page.getByRole('cell', { name: 'Completed' }).waitFor()
    // The report of the training is written after its end, and told too.
    await page.waitForTimeout(3_000)
    asked.length = 0
    await page.waitForTimeout(6_000)
    expect(asked.filter((path) => path === '/api/training')).toEqual([])
  })
})
