import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { EvaluationDocument } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { startService } from '../testing/service.js'
import { forbidMouse, type Hands, keyboard, mouse, reach } from './testing/input-devices.js'
import { openedReport } from './testing/opened-report.js'
import { shared, test } from './testing/test.js'

/** Inside a root of the shared service. */
const folder = shared ? join(shared.root, 'journey') : ''
beforeAll(() => {
  if (shared) makeDataset(join(folder, 'clinic'), { cases: 60 })
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** From an inspection to a running training: register, load into the form, reduce, start. */
async function train(page: Page, { activate, write, choose }: Hands, name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Column roles' }).waitFor()
  await write(page.getByLabel('Name', { exact: true }), name)
  await activate(button(page, 'Register'))
  await heading(page, name)
  await activate(page.getByRole('link', { name: 'Train a model' }))
  await page.waitForURL(/\/train$/)
  await write(page.getByRole('combobox', { name: 'Vision backbone (required)' }), 'none')
  await choose(page.getByLabel('Fusion type (required)'), 'concatenate')
  await write(page.getByLabel('Epochs (required)'), '2')
  await activate(button(page, 'Start training'))
  await page.waitForURL(/\/runs\/[\w-]+$/)
  await page.getByText('Completed').first().waitFor()
}

/** From a finished training to the report of its model on test data. */
async function report(page: Page, { activate }: Hands): Promise<void> {
  await activate(page.getByRole('main').getByRole('link', { name: /^none_/ }))
  await activate(button(page, 'Evaluate'))
  await activate(page.getByRole('dialog').getByRole('button', { name: 'Evaluate', exact: true }))
  await page.getByRole('link', { name: 'View', exact: true }).waitFor()
  await activate(page.getByRole('link', { name: 'View', exact: true }))
  await page.waitForURL(/evaluation=/)
  await activate(button(page, 'Report'))
  const link = page.getByRole('dialog').getByRole('link', { name: 'report.html' })
  const shown = await openedReport(page, () => activate(link))
  const evaluation = new URL(page.url()).searchParams.get('evaluation')?.replaceAll('"', '')
  const { body } = await new Caller(new URL(page.url()).origin).get<EvaluationDocument>(
    `/api/evaluations/${evaluation}`,
  )
  expect(await shown.content()).toContain((body.result.metrics.auc ?? Number.NaN).toFixed(3))
}

describe('from files to the report', { tags: ['full'] }, () => {
  test('by mouse: the files are uploaded', async ({ open }) => {
    // Initial state of a user: the files, and a service without any content.
    const service = await startService({ roots: [folder], trainer: 'recorded' })
    const page = await open('/', { url: service.url })
    const hands = mouse(page)
    await hands.activate(page.getByRole('link', { name: 'Use my data' }))
    const choosing = page.waitForEvent('filechooser')
    await hands.activate(page.getByRole('button', { name: 'Choose a folder' }))
    await (await choosing).setFiles(join(folder, 'clinic'))
    await hands.activate(button(page, 'Upload'))
    await train(page, hands, 'by mouse')
    await report(page, hands)
    await page.context().close()
    await service.stop()
    rmSync(service.dataDir, { recursive: true, force: true })
  })

  test('by keyboard alone: the files are found in the folders of the service', async ({ open }) => {
    const page = await open('/data')
    await forbidMouse(page)
    const hands = keyboard(page)
    await hands.activate(page.getByRole('link', { name: 'New dataset' }).first())
    const list = page.getByRole('listbox', { name: 'Files and folders' })
    for (const name of [basename(shared?.root ?? ''), 'journey', 'clinic']) {
      await list.getByRole('option', { name }).waitFor()
      await reach(page, list)
      await reach(page, list.getByRole('option', { name }), 'ArrowDown')
      await page.keyboard.press('Enter')
    }
    await hands.activate(button(page, 'Choose this folder'))
    // Replayed (see the words of the replay trainer); the one by mouse trains.
    await train(page, hands, 'by keyboard recording=classification whole')
    await report(page, hands)
  })
})
