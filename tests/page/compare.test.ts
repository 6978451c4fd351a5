import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComparisonDocument, Dataset } from '@medloom/contracts'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'
import { imageTrainingOf } from './testing/everything.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const HOSTILE = '<img src=x onerror=alert(1)> first'
let jobs: string[] = []
beforeAll(async () => {
  if (!shared) return
  const dataset = makeDataset(join(shared.root, 'compare'), { cases: 40 })
  const caller = new Caller(shared.url)
  const start = (name: string, epochs: number) =>
    caller.start(trainingConfig(dataset, { model: { vision_backbone: 'none' }, training: { epochs } }), name)
  jobs = [await start(HOSTILE, 1), await start('second', 3)]
  await Promise.all(jobs.map((id) => caller.ended(id)))
})

describe('trainings side by side', () => {
  test('come from the list, and show what differs', async ({ open }) => {
    const page = await open(`/runs?selected=${JSON.stringify(jobs)}`)
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor()
    const settings = page.getByRole('region', { name: 'Configuration' }).getByRole('table')
    await settings.getByRole('cell', { name: 'training.epochs' }).waitFor()
    expect(await settings.getByRole('row').count()).toBe(2)
    await page.getByText('Show identical settings').click()
    await settings.getByRole('cell', { name: 'training.batch_size' }).waitFor()
    const { best } = await new Caller(shared?.url ?? '').status(jobs[1] ?? '')
    await page
      .getByRole('region', { name: 'Metrics at the best epoch' })
      .getByRole('row', { name: 'Loss, validation' })
      .getByText((best?.metrics.val_loss ?? Number.NaN).toFixed(3))
      .waitFor()
    await page.getByRole('figure', { name: 'Loss, validation' }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('are compared by a link that stays where it is when the list comes', async ({ open }) => {
    const page = await open('/')
    let answer = () => {}
    const requested = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/api\/training\?/, async (route) => {
      await requested
      await route.continue()
    })
    await page.goto(`/runs?selected=${JSON.stringify(jobs)}`)
    const link = page.getByRole('link', { name: 'Compare', exact: true })
    await link.waitFor()
    const before = await link.boundingBox()
    answer()
    await page.getByRole('row').filter({ hasText: 'second' }).waitFor()
    expect(await link.boundingBox()).toEqual(before)
  })

  test('do not move while charts are drawn that scroll into view', async ({ open }) => {
    // So narrow that a legend takes several lines.
    const page = await open(`/compare?jobs=${JSON.stringify(jobs)}`, {
      viewport: { width: 400, height: 300 },
    })
    await page.getByRole('button', { name: 'Compare models' }).waitFor()
    const charts = page.getByRole('region', { name: 'Curves' }).getByRole('figure')
    const heights = () => charts.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    const drawn = () => charts.locator('canvas').count()
    const before = await heights()
    expect(await drawn()).toBeLessThan(before.length)
    for (const chart of await charts.all()) await chart.scrollIntoViewIfNeeded()
    await expect.poll(drawn).toBe(before.length)
    expect(await heights()).toEqual(before)
  })

  test('offer to measure only where the curves above will not move it', async ({ open }) => {
    const page = await open('/')
    let answer = () => {}
    const requested = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/api\/training\/metrics\?/, async (route) => {
      await requested
      await route.continue()
    })
    await page.goto(`/compare?jobs=${JSON.stringify(jobs)}`)
    await page.getByRole('region', { name: 'Configuration' }).getByRole('table').waitFor()
    // Elements that render after the first frame are rendered by now.
    await page.evaluate(() => new Promise((resume) => requestIdleCallback(resume)))
    const measure = page.getByRole('button', { name: 'Compare models' })
    expect(await measure.count()).toBe(0)
    answer()
    await measure.waitFor()
  })

  test('are measured on the same cases, which lead from counts to rows', async ({ open }) => {
    const page = await open(`/compare?jobs=${JSON.stringify(jobs)}`)
    await page.getByRole('button', { name: 'Compare models' }).click()
    await page.getByRole('heading', { name: 'Correct predictions' }).waitFor()
    const id = new URL(page.url()).searchParams.get('comparison')
    const { body } = await new Caller(shared?.url ?? '').get<ComparisonDocument>(`/api/comparisons/${id}`)
    const { agreement, differences } = body.result.pairs[0] ?? {}
    await page
      .getByRole('row', { name: /^AUROC / })
      .getByText(
        (differences?.auc?.estimate ?? Number.NaN).toFixed(3).replace('-0.000', '0.000').replace('-', '−'),
      )
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Both correct' }).click()
    const shown = Math.min(24, agreement?.both_right ?? 0)
    await page.getByText(`${shown} of ${agreement?.both_right} cases`).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.reload()
    await page.getByText(`${shown} of ${agreement?.both_right} cases`).waitFor()
    const [warning] = [...body.result.warnings, ...body.result.models.flatMap((model) => model.warnings)]
    const { pathname, search } = new URL(page.url())
    const chinese = await open(`${pathname}${search}`, { locale: 'zh-CN' })
    expect(warning?.code).toBe('NO_SPLIT_COLUMN')
    await chinese.getByText('没有划分列').first().waitFor()
  })

  test('register the table that they were measured on with the roles of their training', {
    tags: ['full'],
  }, async ({ open }) => {
    if (!shared) return
    const caller = new Caller(shared.url)
    const { job, dataset, data } = await imageTrainingOf(shared)
    const table = { data, model: { vision_backbone: 'none' } } as const
    const other = await caller.start(trainingConfig(dataset, table), 'without its images')
    await caller.ended(other)
    const page = await open(`/compare?jobs=${JSON.stringify([job, other])}`)
    await page.getByRole('button', { name: 'Compare models' }).click()
    await page.getByRole('button', { name: 'Register the table and show its images' }).click()
    await page.getByText('Images are read from the current content of the registered table.').waitFor()
    const { body } = await caller.get<{ datasets: Dataset[] }>('/api/datasets?page_size=1000')
    const made = body.datasets.find(({ path }) => path === join(dataset, 'test.csv'))
    const { columns } = (await caller.get<Dataset>(`/api/datasets/${made?.dataset_id}`)).body
    const { prepared } = await caller.status(job)
    const named = (role: string) => columns.filter((one) => one.role === role).map(({ name }) => name)
    expect(named('categorical').sort()).toEqual(prepared?.categorical_columns.toSorted())
    expect(named('numeric').sort()).toEqual(prepared?.numeric_columns.toSorted())
    expect(named('ignored')).toContain('marker')
    expect(named('categorical')).toContain('age')
    expect(named('image')).toEqual(prepared?.image_columns)
    expect(named('patient')).toEqual(['patient_id'])
  })

  test('can be measured again after a measurement that failed', async ({ open }) => {
    if (!shared) return
    const table = join(shared.root, 'compare', 'without-label.csv')
    writeFileSync(table, 'patient_id,age\nP1,40\nP2,50\n')
    const page = await open(`/compare?jobs=${JSON.stringify(jobs)}`)
    const csv = page.getByLabel(/^Table/)
    await csv.fill(table)
    await page.getByRole('button', { name: 'Compare models' }).click()
    await page.getByText('COLUMN_NOT_FOUND').waitFor()
    await csv.fill('')
    await page.getByRole('button', { name: 'Compare models' }).click()
    await page.getByRole('heading', { name: 'Correct predictions' }).waitFor()
  })

  test('report an empty selection and deleted trainings', async ({ open, expected }) => {
    expected.push(/status of 404/)
    const page = await open('/compare')
    await page.getByText('No trainings selected.').waitFor()
    await expectAccessible(page)
    await page.goto('/compare?jobs=["00000000-0000-4000-8000-000000000000"]')
    await page.getByText('JOB_NOT_FOUND').waitFor()
  })
})
