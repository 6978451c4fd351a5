import { join } from 'node:path'
import type { ComparisonDocument } from '@medloom/contracts'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'
import { expectAccessible, expectNarrow } from './testing/looks.js'
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

describe('trainings beside each other', () => {
  test('come from the list, and show what differs', async ({ open }) => {
    const page = await open(`/runs?selected=${JSON.stringify(jobs)}`)
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor()
    const settings = page.getByRole('region', { name: 'Configuration' }).getByRole('table')
    await settings.getByRole('cell', { name: 'training.epochs' }).waitFor()
    expect(await settings.getByRole('row').count()).toBe(2)
    await page.getByText('Show equal keys too').click()
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

  test('are measured on the same cases, which lead from counts to rows', async ({ open }) => {
    const page = await open(`/compare?jobs=${JSON.stringify(jobs)}`)
    await page.getByRole('button', { name: 'Measure both' }).click()
    await page.getByRole('heading', { name: 'Which of both is right' }).waitFor()
    const id = new URL(page.url()).searchParams.get('comparison')
    const { body } = await new Caller(shared?.url ?? '').get<ComparisonDocument>(`/api/comparisons/${id}`)
    const { agreement, differences } = body.result.pairs[0] ?? {}
    await page
      .getByRole('row', { name: /^AUROC / })
      .getByText((differences?.auc?.estimate ?? Number.NaN).toFixed(3).replace('-0.000', '0.000'))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Both right' }).click()
    const shown = Math.min(24, agreement?.both_right ?? 0)
    await page.getByText(`${shown} of ${agreement?.both_right} cases`).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    await page.reload()
    await page.getByText(`${shown} of ${agreement?.both_right} cases`).waitFor()
  })

  test('say when nothing is chosen, and what is gone', async ({ open, expected }) => {
    expected.push(/status of 404/)
    const page = await open('/compare')
    await page.getByText('Nothing is chosen.').waitFor()
    await expectAccessible(page)
    await page.goto('/compare?jobs=["00000000-0000-4000-8000-000000000000"]')
    await page.getByText('JOB_NOT_FOUND').waitFor()
  })
})
