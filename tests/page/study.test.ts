import { dirname, join } from 'node:path'
import type { Job, Model, Study } from '@medloom/contracts'
import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const HOSTILE = '<b>مرحبا</b> a study'
const ENDS = { timeout: 220_000 }
let study: object
beforeAll(() => {
  if (!shared) return
  const dataset = makeDataset(join(shared.root, 'study'), { cases: 40 })
  const config = trainingConfig(dataset, { model: { vision_backbone: 'none' }, training: { epochs: 1 } })
  study = {
    name: HOSTILE,
    config,
    folds: { k: 2 },
    variants: [{ name: 'narrow' }, { name: 'wide', config: { model: { hidden_dim: 32 } } }],
  }
})

const caller = () => new Caller(shared?.url ?? '')
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''
const editor = (page: Page) => page.getByRole('textbox', { name: 'Study as YAML' })
const write = (page: Page, text: string) => editor(page).fill(text)

/** Combines a variant of a study from its page to the page of the new model, whose members must match the API. */
async function combine(page: Page, { study_id }: Study): Promise<void> {
  await page.getByRole('button', { name: 'Combine the models of wide' }).click()
  const dialog = page.getByRole('dialog', { name: 'Combine the models of “wide”?' })
  for (const text of [
    /^The 2 trained models/,
    /mean of the members/,
    /members disagree/,
    /2 members together/,
  ])
    await dialog.getByText(text).waitFor()
  await dialog.getByText(/trained on every fold, so only test/).waitFor()
  await dialog.getByRole('button', { name: 'Combine' }).click()
  await page.waitForURL(/\/models\/[\w-]+$/, ENDS)
  const { body } = await caller().get<Model>(`/api/models/${idOf(page)}`)
  expect(body.ensemble).toMatchObject({ study_id, variant: 'wide' })
}

/** A combination that is impossible reports the failure, its code and the remedy in the dialog. */
async function expectRefusal(page: Page, { jobs }: Study): Promise<void> {
  const job = jobs.find(({ variant }) => variant === 'narrow')?.job_id
  const { body } = await caller().get<Job>(`/api/training/${job}/status`)
  await caller().delete(`/api/models/${body.model_id}`)
  await page.getByRole('button', { name: 'Combine the models of narrow' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Combine' }).click()
  const problem = dialog.getByRole('alert')
  await problem.getByText('MEMBER_NOT_TRAINED').waitFor()
  await problem.getByText(/its model was removed/).waitFor()
  await problem.getByText(/use completed jobs or existing models/).waitFor()
  await page.keyboard.press('Escape')
}

/** The ensemble has no evaluation yet; it is evaluated like any other model, and reports the agreement of its members. */
async function expectEnsemble(page: Page): Promise<void> {
  await page.getByText('This ensemble has not been evaluated yet.').waitFor()
  await page.getByText(/Together, the members were trained on every fold/).waitFor()
  const members = page.getByRole('region', { name: 'Members' }).getByRole('row')
  await expect.poll(() => members.count()).toBe(3)
  await expectAccessible(page)
  await expectNarrow(page)
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Evaluate' }).click()
  await page.getByRole('heading', { name: 'Disagreement of the members' }).waitFor(ENDS)
}

describe('a study on the page', () => {
  test('goes from its text to the figures of the interface, and to the trainings behind them', async ({
    open,
    expected,
  }) => {
    const page = await open('/studies/new')
    await write(page, JSON.stringify(study))
    await page.getByText('4 trainings with 4 networks').waitFor()
    await page.getByText(/^Estimated time: /).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Start study' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    await page.getByRole('heading', { name: 'Methods' }).waitFor(ENDS)
    const { body } = await caller().get<Study>(`/api/studies/${idOf(page)}`)
    const table = page.getByRole('region', { name: 'Variants' }).getByRole('table')
    for (const { name, kind, description, metrics } of body.variants) {
      const row = table.getByRole('row').filter({ hasText: kind === 'baseline' ? (description ?? '') : name })
      await row
        .getByText((metrics.auc?.estimate ?? Number.NaN).toFixed(3), { exact: true })
        .first()
        .waitFor()
    }
    await page.getByText('Not significant').first().waitFor()
    const secondPage = await open(`/studies/${body.study_id}`)
    await combine(secondPage, body)
    await expectEnsemble(secondPage)
    expected.push(/status of 400/)
    await expectRefusal(page, body)
    const report = page.getByRole('link', { name: 'Report', exact: true })
    expect((await page.request.get((await report.getAttribute('href')) ?? '')).status()).toBe(200)
    await expectAccessible(page)
    await expectNarrow(page)
    await table.getByRole('link', { name: 'wide' }).click()
    await page.getByText('Compare 2 of these trainings').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Other formats' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Markdown' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const word = page.getByRole('dialog').getByRole('link', { name: 'Word' })
    await word.waitFor()
    expect((await page.request.get((await word.getAttribute('href')) ?? '')).status()).toBe(200)
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Trainings' }).getByRole('link').first().click()
    await page.waitForURL(/\/runs\/[\w-]+/)
  })

  test('shows the selected settings of a search, as the interface does', { tags: ['full'] }, async ({
    open,
  }) => {
    const started = await caller().post<Study>('/api/studies', {
      ...study,
      name: 'searched',
      variants: undefined,
      baselines: [],
      search: {
        name: 'found',
        sampler: 'tpe',
        trials: 2,
        space: { 'training.learning_rate': [0.01, 0.001] },
      },
    })
    expect(started.status).toBe(200)
    const { study_id, search } = await caller().studyEnded(started.body.study_id)
    const page = await open(`/studies/${study_id}`)
    await page.getByRole('tab', { name: 'Search' }).click()
    await page
      .getByText(
        /^2 trials for each seed and fold; the best settings are chosen by val_loss on validation data\./,
      )
      .waitFor()
    await page.getByText('4 requested, 4 completed, 0 stopped early, 0 failed').waitFor()
    const rows = page.getByRole('region', { name: 'Search' }).getByRole('table').getByRole('row')
    expect(search?.choices.map(({ ended }) => ended)).toEqual([true, true])
    for (const { best } of search?.choices ?? []) {
      const [row, rate] = [rows.filter({ hasText: best?.job_id?.slice(0, 8) ?? 'no job' }), best?.settings]
      await row.getByText(`training.learning_rate = ${rate?.['training.learning_rate']}`).waitFor()
      await row.getByText((best?.value ?? Number.NaN).toFixed(3), { exact: true }).waitFor()
      await row.getByText('Chosen', { exact: true }).waitFor()
    }
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('shows what is wrong where it is written, and keeps the text over a reload', async ({
    open,
    expected,
  }) => {
    expected.push(/status of 400/)
    const page = await open('/studies/new')
    await write(page, 'name: [')
    await page.getByText(/^Invalid YAML, line 1: /).waitFor()
    const wrong = { ...study, variants: [{ name: 'same' }, { name: 'same' }] }
    await write(page, JSON.stringify(wrong))
    const second = page.getByRole('group', { name: 'Variants 2' })
    await second.getByText('another variant also has the name "same"').waitFor()
    await page.locator('.cm-lint-marker-error').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Start study' }).click()
    await page.getByText('variants.1.name').first().waitFor()
    await page.getByRole('button', { name: 'Plain text field' }).click()
    await page.reload()
    expect(await editor(page).inputValue()).toBe(JSON.stringify(wrong))
    const search = { sampler: 'gird', space: { 'training.learning_rate': [0.01, 0.001] } }
    await editor(page).fill(JSON.stringify({ ...study, folds: { repeats: 2 }, search }))
    await page
      .getByText('neither k nor column is set')
      .or(page.getByText('Did you mean "grid"?'))
      .first()
      .waitFor()
    await page.locator('details[open]', { hasText: 'Search' }).getByText('Did you mean "grid"?').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('is filled in as a form, which writes the text that is started and keeps its comments', async ({
    open,
    expected,
  }) => {
    // An incomplete form is checked as well after a pause: two variants are equal before the second one has changes.
    expected.push(/status of 400/)
    const page = await open('/studies/new')
    const { config } = study as { config: { data: { train_csv: string } } }
    await editor(page).fill('# asked by the clinic\nseeds: 1 # for now\n')
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    // Its trainings are only started, so the replay trainer need not train them.
    const name = 'from the form delay=1000 whole'
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill(name)
    await field('Training table (required)').fill(config.data.train_csv)
    await page.getByRole('combobox', { name: 'Vision backbone (required)' }).fill('none')
    await page.keyboard.press('Escape')
    await page.getByLabel('Fusion type (required)').click()
    await page.getByRole('option', { name: 'concatenate' }).click()
    await field('Epochs (required)').fill('1')
    await field('Batch size (required)').fill('8')
    await field('Learning rate').fill('0.001')
    await field('Number of folds').fill('2')
    for (const [index, name] of ['narrow', 'wide'].entries()) {
      await page.getByRole('button', { name: 'Add to Variants' }).focus()
      await page.keyboard.press('Enter')
      // The first row is the base.
      const row = page.getByRole('group', { name: `Variants ${index + 2}` })
      await row.getByRole('textbox', { name: 'Name (required)' }).fill(name)
    }
    await page
      .getByRole('group', { name: 'Variants 2' })
      .getByRole('textbox', { name: 'Changes to the base' })
      .fill('model:\n  hidden_dim: 16')
    await page
      .getByRole('group', { name: 'Variants 3' })
      .getByRole('textbox', { name: 'Changes to the base' })
      .fill('model:\n  hidden_dim: 32')
    await field('Seeds').fill('[3, 4]')
    await page.getByText(/^12 trainings with/).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    const text = (await editor(page).textContent()) ?? ''
    for (const line of ['# asked by the clinic', '# for now', 'hidden_dim: 32']) expect(text).toContain(line)
    await field('Seeds').fill('1')
    await page.getByText(/^6 trainings with/).waitFor()
    await page.getByRole('button', { name: 'Start study' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const { body } = await caller().get<Study>(`/api/studies/${idOf(page)}`)
    expect(body.config).toMatchObject({ folds: { k: 2 }, seeds: 1 })
    expect(body.variants.map(({ name }) => name)).toEqual(expect.arrayContaining(['base', 'narrow', 'wide']))
    await caller().post(`/api/studies/${body.study_id}/stop`)
  })

  test('is on a registered dataset by its name, which fills its base in', async ({ open }) => {
    const { config } = study as { config: { data: { train_csv: string } } }
    const path = dirname(config.data.train_csv)
    await caller().post('/api/datasets', { path, name: 'registered' })
    const page = await open('/studies/new')
    await page.getByText('Fill in the required settings').waitFor()
    // Text entered while the record is loading is preserved.
    const held: Route[] = []
    await page.route(/api\/datasets\/[\w-]+$/, (route) => void held.push(route))
    await page.getByRole('button', { name: /Registered dataset/ }).click()
    await page.getByRole('option', { name: 'registered', exact: true }).click()
    await expect.poll(() => held.length).toBe(1)
    const question = page.getByRole('textbox', { name: 'Research question', exact: true })
    await question.fill('Does the image help?')
    await held[0]?.continue()
    const table = page.getByRole('textbox', { name: 'Training table (required)' })
    await expect.poll(() => table.inputValue()).toBe(config.data.train_csv)
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('registered')
    expect(await question.inputValue()).toBe('Does the image help?')
    await page.getByText(/^1 training with/).waitFor()
    expect(await editor(page).textContent()).toContain('config:')
  })

  test('is set up in Chinese, its base in the words of a training', { tags: ['full'] }, async ({ open }) => {
    const page = await open('/studies/new', { locale: 'zh-CN' })
    await page.getByRole('textbox', { name: '训练表格 (必填)' }).waitFor()
    await page.getByRole('textbox', { name: '折数', exact: true }).fill('4')
    await page.locator('summary', { hasText: '基础配置：训练' }).click()
    await page.getByRole('button', { name: '添加变体' }).click()
    await page
      .getByRole('group', { name: '变体 1' })
      .getByRole('textbox', { name: '变体名称 (必填)' })
      .waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('shows the consequences of a stop and a deletion, and reports the deletion', async ({
    open,
    expected,
  }) => {
    expected.push(/status of 404/)
    const { body } = await caller().post<Study>('/api/studies', {
      ...study,
      // Slow enough to be stopped: see the keywords of the replay trainer.
      name: 'to delete delay=1000 whole',
      seeds: 3,
    })
    const page = await open(`/studies/${body.study_id}`)
    await page.getByRole('button', { name: 'Stop' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor(ENDS)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText(/file/).first().waitFor()
    await expectNarrow(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
    await page.goto(`/studies/${body.study_id}`)
    await page.getByText('STUDY_NOT_FOUND').waitFor()
    await page.goto('/studies?status=failed')
    await page.getByText('No studies with this status.').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })
})
