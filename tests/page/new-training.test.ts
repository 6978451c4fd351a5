import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

let dataset = ''
beforeAll(async () => {
  if (!shared) return
  dataset = makeDataset(join(shared.root, 'new-training'), { cases: 40 })
  await new Caller(shared.url).post('/api/datasets', { path: dataset, name: 'newest' })
})
const written = () =>
  JSON.stringify(trainingConfig(dataset, { model: { vision_backbone: 'none' } }))
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
const editor = (page: Page) => page.getByRole('textbox', { name: 'YAML' })
const outlook = (page: Page) => page.getByRole('region', { name: 'Preview of this training' })

describe('the first opening', () => {
  test('three activations at most lead to a running example', { tags: ['full'] }, async ({ open }) => {
    const folder = temporaryFolder('first')
    const service = await startService({ roots: [folder], trainer: 'recorded' })
    const page = await open('/train', { url: service.url })
    // The service gets the name with a word of the replay trainer: tests/e2e/example-dataset.test.ts checks the example with the trainer.
    const names: string[] = []
    await page.route('**/api/training/start', (route) => {
      const request = route.request().postDataJSON()
      names.push(request.job_name)
      return route.continue({
        postData: JSON.stringify({ ...request, job_name: 'Example delay=1000 whole' }),
      })
    })
    await page.getByRole('heading', { name: 'No datasets are registered yet' }).waitFor()
    await page.goto('/')
    await page.getByRole('button', { name: 'Try the example' }).click()
    await page.waitForURL(/\/train$/)
    await outlook(page).getByText('No problems found.').waitFor()
    await page.getByRole('button', { name: 'Start training' }).click()
    await page.waitForURL(/\/runs\/[\w-]+$/)
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const caller = new Caller(service.url)
    await caller.until(id, ({ status }) => status === 'running')
    expect(names).toEqual(['Example'])
    await caller.post(`/api/training/${id}/stop`)
    await page.context().close()
    await service.stop()
    for (const made of [folder, service.dataDir]) rmSync(made, { recursive: true, force: true })
  })
})

describe('what a training would be', () => {
  test('begins with the newest dataset, until it is emptied', async ({ open }) => {
    const page = await open('/train')
    const table = page.getByRole('textbox', { name: 'Training table (required)' })
    await expect.poll(() => table.inputValue()).toBe(join(dataset, 'train.csv'))
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('newest')
    expect(await page.getByRole('textbox', { name: 'Epochs (required)' }).inputValue()).toBe('20')
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.reload()
    await outlook(page).getByText('Fill in the required settings').waitFor()
    expect(await table.inputValue()).toBe('')
  })

  test('is not filled in under the hands of somebody who begins to write', async ({ open }) => {
    const page = await open('about:blank')
    await page.route('**/api/datasets/*', async (route) => {
      await editor(page).focus()
      await route.continue()
    })
    const newest = page.waitForResponse((response) => /\/api\/datasets\/[^/?]+$/.test(response.url()))
    await page.goto('/train')
    await (await newest).finished()
    // Characters that arrive faster than the page can render them.
    const text = 'training: {epochs: 7, batch_size: 8}'
    await Promise.all([...text].map((character) => page.keyboard.press(character)))
    await expect.poll(() => page.getByLabel('Batch size (required)').inputValue()).toBe('8')
    expect(await editor(page).textContent()).toBe(text)
  })

  test('agrees with the interface, and changes with the entered text', async ({ open }) => {
    const page = await open('/train')
    await page.getByRole('button', { name: 'Start over' }).click()
    await outlook(page).getByText('Fill in the required settings').waitFor()
    await editor(page).fill(written())
    await outlook(page).getByText('No problems found.').waitFor()
    const { body } = await new Caller(shared?.url ?? '').post<{ model: { parameters: number } }>(
      '/api/training/check',
      { config: JSON.parse(written()), wait_seconds: 60 },
    )
    const parameters = body.model.parameters.toLocaleString('en-US')
    await outlook(page).getByText(parameters, { exact: true }).waitFor()
    await outlook(page).getByText('Column roles').click()
    await outlook(page).getByText('patient_id').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByLabel('Batch size (required)').fill('5000')
    await outlook(page).getByText('1 problem found.').waitFor()
    await page.getByText('Use a smaller training.batch_size').first().waitFor()
    await page.getByRole('button', { name: 'Start training' }).click()
    const dialog = page.getByRole('dialog', { name: 'This training would fail' })
    await dialog.getByRole('button', { name: 'Start anyway' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/train')
  })

  test('is shown in Chinese, with the meaning of each setting and the remedy', { tags: ['full'] }, async ({
    open,
  }) => {
    const page = await open('/train', { locale: 'zh-CN' })
    await page.getByRole('textbox', { name: 'YAML' }).fill('training:\n  epoch: 3\n')
    await page.getByText('您是指“epochs”吗？').first().waitFor()
    await page.getByText('每批病例数').first().waitFor()
    await page.getByRole('textbox', { name: '批大小 (必填)' }).waitFor()
    await page.locator('summary', { hasText: '数据' }).click()
    await page.getByRole('textbox', { name: '验证比例' }).waitFor()
  })
})

describe('the editor', () => {
  test('marks what is wrong, lets the keyboard leave, and can be a plain field', async ({ open }) => {
    const page = await open('/train')
    await page.getByRole('button', { name: 'Start over' }).click()
    await editor(page).click()
    await page.keyboard.type('training:\nepochs: 0\n')
    await page.locator('.cm-lint-marker-error').first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    expect(await focused()).toBe('Plain text field')
    await page.keyboard.press('Enter')
    expect(await page.locator('textarea').inputValue()).toContain('epochs: 0')
    await page.reload()
    expect(await page.locator('textarea').inputValue()).toContain('epochs: 0')
    await expectAccessible(page)
  })

  test('is a plain field where it cannot be loaded', async ({ open, expected }) => {
    expected.push(/Failed to (load|fetch)/, /net::ERR_FAILED/)
    const page = await open('/')
    await page.route(/yaml-editor.*\.js/, (route) => route.abort())
    await page.goto('/train')
    await page.locator('textarea').fill('training:\n  epochs: 3\n')
    expect(await page.getByLabel('Epochs (required)').inputValue()).toBe('3')
  })

  test('becomes a study that the service takes', async ({ open }) => {
    const page = await open('/train')
    await editor(page).fill(written())
    await page.getByRole('button', { name: 'Create a study' }).click()
    await page.waitForURL(/\/studies\/new$/)
    await page.getByText('vision_backbone').first().waitFor()
  })
})

describe('typed work', () => {
  test('can be copied by hand where the browser gives a page no clipboard', async ({ open }) => {
    const page = await open('/train')
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await editor(page).fill('training:\n  epochs: 3\n')
    await page.getByRole('button', { name: 'Copy as YAML' }).click()
    await page.getByRole('dialog', { name: 'Copy manually' }).waitFor()
    await expectAccessible(page)
    const selected = await page.evaluate(() => {
      const field = document.activeElement as HTMLTextAreaElement
      return field.value.slice(field.selectionStart, field.selectionEnd)
    })
    expect(selected).toBe('training:\n  epochs: 3\n')
  })

  test('offers the backbones there are, and takes any other name with the nearest one that exists', async ({
    open,
  }) => {
    const page = await open('/train')
    const field = page.getByRole('combobox', { name: /^Vision backbone/ })
    await field.fill('resnet3')
    await page.getByRole('option', { name: 'resnet34', exact: true }).waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('resnet34')
    await expectAccessible(page)
    await expectNarrow(page)
    await field.fill('resnt18')
    await field.press('Escape')
    await page.getByText('Did you mean').first().waitFor()
    expect(await field.inputValue()).toBe('resnt18')
    await page.getByRole('button', { name: /^Options for Vision backbone/ }).click()
    const { body } = await new Caller(shared?.url ?? '').get<{ backbones: { name: string }[] }>(
      '/api/backbones',
    )
    for (const { name } of body.backbones)
      expect(await page.getByRole('option', { name, exact: true }).count(), name).toBe(1)
  })
})
