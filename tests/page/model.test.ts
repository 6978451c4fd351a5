import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AliasMove,
  CasePredictions,
  EvaluationDocument,
  FollowUp,
  FollowUpEvaluation,
  ModelInputs,
  ModelWithCheckpoints,
} from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { makeDataset, readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'
import { expectDialog } from './testing/dialog.js'
import { openedReport } from './testing/opened-report.js'
import { expectAccessible, expectNarrow } from './testing/page-checks.js'
import { shared, test } from './testing/test.js'

const caller = new Caller(shared?.url ?? '')
let dataset = ''
let model = ''

/** A model of the table only, after one epoch; its job has evaluated it on validation. */
async function trained(name: string): Promise<string> {
  const config = trainingConfig(dataset, {
    model: { vision_backbone: 'none' },
    training: { epochs: 1 },
    baselines: ['logistic_regression'],
  })
  const job = await caller.ended(await caller.start(config, name), 200)
  return job.model_id ?? ''
}

beforeAll(async () => {
  if (!shared) return
  dataset = makeDataset(join(shared.root, 'model'), { cases: 120 })
  model = await trained('evidence')
})

const modelOf = async (id: string) => (await caller.get<ModelWithCheckpoints>(`/api/models/${id}`)).body
const validationOf = async (id: string) => {
  const { job_id } = await modelOf(id)
  return (await caller.get<EvaluationDocument>(`/api/evaluations/validation-${job_id}`)).body
}
/** A number as the page writes it, with a minus sign. */
const three = (value: number | null | undefined) => (value ?? Number.NaN).toFixed(3).replace('-', '−')

/** Text of a table row, by its first cell. */
async function rowOf(page: Page, table: string, first: string): Promise<string> {
  const row = page
    .getByRole('region', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: first, exact: true }) })
  await row.first().waitFor()
  const cells = await row.first().getByRole('cell').allTextContents()
  return cells.map((cell) => cell.trim()).join(' ')
}

describe('the page of a model', () => {
  test('lists its panels: a link leads to each, and the one that is read is marked', async ({ open }) => {
    const page = await open(`/models/${model}`, { viewport: { width: 1400, height: 800 } })
    const list = page.getByRole('navigation', { name: 'On this page' })
    const current = list.locator('[aria-current=location]')
    await list.locator('[aria-current=location]', { hasText: 'Metrics' }).waitFor()
    const names = await list.getByRole('link').allTextContents()
    const titles = await page.getByRole('heading', { level: 2 }).allTextContents()
    expect(titles.filter((title) => names.includes(title))).toEqual(names)
    await list.getByRole('link', { name: 'Confusion matrix' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('#confusion:focus').waitFor()
    expect(page.url()).toMatch(/#confusion$/)
    await expect.poll(() => current.textContent()).toBe('Confusion matrix')
    await page.reload()
    await expect.poll(() => current.textContent()).toBe('Confusion matrix')
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await list.getByRole('link').count()).toBe(0)
    await page.getByRole('button', { name: 'On this page' }).click()
    await list.getByRole('link', { name: 'Metrics', exact: true }).click()
    await page.locator('#metrics:focus').waitFor()
    await expectNarrow(page)
  })

  test('shows the numbers of the interface, accessible in both themes, as narrow as a phone', async ({
    open,
  }) => {
    const page = await open('/models')
    await page.getByRole('link', { name: model, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: model }).waitFor()
    await page.getByText('Provenance').waitFor()
    const { result, data_digest } = await validationOf(model)
    const { estimate, low, high } = result.intervals.auc ?? {}
    const auc = await rowOf(page, 'Metrics', 'AUROC')
    for (const number of [estimate, low, high]) expect(auc).toContain(three(number))
    const [baseline] = result.baselines ?? []
    expect(auc).toContain(three(baseline?.metrics.auc))
    expect(auc).toContain(three(baseline?.differences.auc?.estimate))
    await page
      .getByText(`Not better than ${baseline?.title}`)
      .or(page.getByText(`than ${baseline?.title}`))
      .first()
      .waitFor()
    const { cases, splits } = baseline?.fitted_on ?? {}
    const rows = splits?.includes('val') ? 'training and validation cases' : 'training cases'
    await page.getByText(`Fitted on ${cases} ${rows}.`).waitFor()
    await page.getByText('Provenance').click()
    await page.getByText(data_digest).waitFor()
    await page.getByText(`torch ${result.software.torch}`).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })

  test('states why a model cannot be compared, and claims no threshold that was not chosen', async ({
    open,
  }) => {
    const { job_id } = await modelOf(model)
    const page = await open('/models')
    await page.route(`**/api/evaluations/validation-${job_id}*`, async (route) => {
      const response = await route.fetch()
      const { result, ...document } = (await response.json()) as EvaluationDocument
      const reason = 'too few patients to compare'
      const baselines = result.baselines?.map(({ differences, verdict, ...baseline }) => ({
        ...baseline,
        verdict: { ...verdict, verdict: 'undecided' as const },
        differences: {
          ...differences,
          auc: {
            ...differences.auc,
            estimate: 0.111,
            low: null,
            high: null,
            reason,
            reason_phrases: undefined,
          },
        },
      }))
      const threshold_reason = 'the validation cases have only one class'
      const { threshold_reason_phrases: _, ...rest } = result
      await route.fulfill({
        response,
        json: { ...document, result: { ...rest, baselines, threshold_reason } },
      })
    })
    await page.getByRole('link', { name: model, exact: true }).click()
    const reasons = page.getByText('too few patients to compare')
    await reasons.first().waitFor()
    // Beside the verdict and in the table.
    expect(await reasons.count()).toBe(2)
    await page.getByText('The epoch was chosen on these validation cases').waitFor()
    expect(await page.getByText('The epoch and the threshold were chosen').count()).toBe(0)
  })

  test('moves every chart with one threshold, by keyboard, to the values of the interface', async ({
    open,
  }) => {
    const page = await open(`/models/${model}`)
    const slider = page.getByRole('slider', { name: 'Threshold' })
    await slider.focus()
    for (let steps = 0; steps < 5; steps++) await page.keyboard.press('ArrowRight')
    await page.getByText('Exploration:').waitFor()
    const threshold = Number(new URL(page.url()).searchParams.get('threshold'))
    const { result, job_id } = await validationOf(model)
    const grid = result.thresholds?.grid
    const step = grid?.threshold.indexOf(threshold) ?? -1
    expect(step).toBeGreaterThan(0)
    for (const [name, counts] of [
      ['True positive', grid?.true_positive],
      ['False positive', grid?.false_positive],
      ['False negative', grid?.false_negative],
      ['True negative', grid?.true_negative],
    ] as const)
      expect(await rowOf(page, 'Counts at this threshold', name)).toBe(`${name} ${counts?.[step]}`)
    const sensitivity = await rowOf(page, 'Rates at this threshold', 'Sensitivity')
    for (const part of ['estimate', 'low', 'high'] as const)
      expect(sensitivity).toContain(three(grid?.sensitivity[part][step]))
    // The number of listed cases equals the count in the cell of the confusion matrix.
    const wrong = page.getByRole('button', { name: /predicted as/ }).nth(1)
    const count = Number((await wrong.textContent())?.trim())
    await wrong.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('status')
      .getByText(new RegExp(`^${count} cases?$`))
      .waitFor()
    const { searchParams } = new URL(page.url())
    const params = new URLSearchParams({ threshold: String(threshold) })
    for (const name of ['truth', 'predicted'])
      params.set(name, JSON.parse(`"${searchParams.get(name)?.replaceAll('"', '')}"`))
    const { body } = await caller.get<{ total: number }>(
      `/api/evaluations/validation-${job_id}/cases?${params}`,
    )
    expect(body.total).toBe(count)
    await page.reload()
    await page
      .getByRole('status')
      .getByText(new RegExp(`^${count} cases?$`))
      .waitFor()
  })

  test('shows the cases of a bin and of a group', async ({ open }) => {
    const page = await open(`/models/${model}`)
    const { result } = await validationOf(model)
    const [bin] = result.calibration?.bins ?? []
    const calibration = page.locator('figure', { hasText: 'Calibration' })
    await calibration.getByText('Show as table').click()
    await calibration
      .getByRole('button', { name: String(bin?.count), exact: true })
      .first()
      .click()
    await page.getByRole('status').getByText(`${bin?.count} cases`, { exact: true }).waitFor()
    await page.getByText('Only an evaluation on a table measures this').waitFor()
    const [group] = result.subgroups
    await page.getByRole('button', { name: `${group?.column}: ${group?.group}`, exact: true }).click()
    await page
      .getByRole('status')
      .getByText(group?.cases == null ? /^[1-9]\d* cases?$/ : new RegExp(`^${group.cases} cases?$`))
      .waitFor()
  })
})

/** Difference of each input from the training, and the reasons for missing results. */
async function showsInputs(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Input importance' }).waitFor()
  const id = new URL(page.url()).searchParams.get('evaluation') ?? ''
  const { result } = (await caller.get<EvaluationDocument>(`/api/evaluations/${id.replaceAll('"', '')}`)).body
  const [far] = result.shift?.inputs ?? []
  const difference = await rowOf(page, 'Shift between training cases and these cases', far?.name ?? '')
  if (far?.smd === null) expect(difference).toContain(far.reason)
  else for (const number of [far?.smd, far?.chance]) expect(difference).toContain(three(number))
  await page.getByText('Input importance was not measured. Evaluate again').waitFor()
  const reason = result.conformal?.reason ?? null
  if (reason !== null) await page.getByText(`Not available: ${reason}.`).first().waitFor()
}

describe('what is done with a model', () => {
  test('is evaluated as a task, reported, exported and saved, each by its route', async ({ open }) => {
    const page = await open(`/models/${await trained('to be evaluated')}`)
    await page.getByRole('button', { name: 'Evaluate', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Evaluate', exact: true }).click()
    await page.getByRole('link', { name: 'View', exact: true }).click()
    await showsInputs(page)
    await page.getByText('This test data has been used once.').first().waitFor()
    await page.getByText('For exploration only.').waitFor()
    await page.getByRole('button', { name: 'Report', exact: true }).click()
    const report = page.getByRole('dialog').getByRole('link', { name: 'report.html' })
    const shown = await openedReport(page, () => report.click())
    await shown.close()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
    const save = page.getByRole('link', { name: 'Download file' })
    await save.waitFor()
    const file = await page.request.get((await save.getAttribute('href')) ?? '')
    expect(file.headers()['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''.+\.onnx$/)
    expect((await file.body()).length).toBeGreaterThan(1000)
  })

  test('predicts a case that is entered by keyboard, with the numbers of the interface and its warnings', async ({
    open,
  }) => {
    const row = { age: '500', sex: 'female', site: 'face' }
    const { body } = await caller.post<CasePredictions>(`/api/models/${model}/predict`, { rows: [row] })
    const page = await open(`/models/${model}`, { viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'Predict', exact: true }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const age = dialog.getByRole('textbox', { name: 'age', exact: true })
    await age.focus()
    await page.keyboard.type(row.age)
    await dialog.getByText('Above the training range').waitFor()
    const { columns } = (await caller.get<ModelInputs>(`/api/models/${model}/inputs`)).body
    const range = columns.find(({ name }) => name === 'age')?.range
    expect(await age.getAttribute('aria-describedby')).toBeTruthy()
    await dialog.getByText(`Training: ${range?.low} to ${range?.high}`).waitFor()
    for (const column of ['sex', 'site'] as const) {
      await dialog.getByRole('button', { name: new RegExp(`${column}$`) }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: row[column], exact: true }).press('Enter')
      await page.getByRole('option').first().waitFor({ state: 'detached' })
    }
    await expectAccessible(page)
    const predict = dialog.getByRole('button', { name: 'Predict', exact: true })
    await predict.focus()
    await page.keyboard.press('Enter')
    const [prediction] = body.predictions
    await dialog.getByText('For research use only').waitFor()
    for (const [name, probability] of Object.entries(prediction?.probabilities ?? {}))
      expect(await rowOf(page, 'Probabilities', name)).toBe(`${name} ${three(probability)}`)
    expect(prediction?.warnings.map(({ code }) => code).sort()).toEqual([
      'INPUT_MISSING',
      'VALUE_OUTSIDE_TRAINING',
    ])
    for (const { message } of prediction?.warnings ?? []) await dialog.getByText(message).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
    // The prediction remains while a value is changed, and the next one replaces it.
    await age.fill(String(range?.low))
    await dialog.getByText('Values have changed since this prediction.').waitFor()
    await dialog.getByText('For research use only').waitFor()
    await predict.click()
    await dialog.getByText('Values have changed since this prediction.').waitFor({ state: 'detached' })
    expect(await dialog.getByText('"age" is above the training range').count()).toBe(0)
  })

  test('offers the categories of the training, and uploads an image under a name without its own', {
    tags: ['full'],
  }, async ({ open }) => {
    const config = trainingConfig(dataset, { training: { epochs: 1 } })
    const { model_id } = await caller.ended(await caller.start(config, 'with images'), 200)
    const [image = ''] = readdirSync(join(dataset, 'images'))
    const row = { image: join(dataset, 'images', image), sex: 'female' }
    const { body } = await caller.post<CasePredictions>(`/api/models/${model_id}/predict`, { rows: [row] })
    const page = await open(`/models/${model_id}`)
    await page.getByRole('button', { name: 'Predict', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose file: Image (image)' }).press('Enter'),
    ])
    await dialog.getByRole('button', { name: /sex$/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Not known' }).waitFor()
    expect(await page.getByRole('option').allTextContents()).toEqual(['Not known', 'female', 'male'])
    await page.keyboard.type('fem')
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    const announced = page.waitForRequest((request) => request.url().endsWith('/api/uploads'))
    await chooser.setFiles(row.image)
    expect((await announced).postDataJSON()).toMatchObject({ path: 'image.png' })
    await dialog.getByRole('img', { name: 'Preview: Image (image)' }).waitFor()
    await dialog.getByText(image).waitFor()
    await dialog.getByRole('button', { name: 'Predict', exact: true }).click()
    for (const [name, probability] of Object.entries(body.predictions[0]?.probabilities ?? {}))
      expect(await rowOf(page, 'Probabilities', name)).toBe(`${name} ${three(probability)}`)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Remove file: Image (image)' }).click()
    await dialog.getByText('Values have changed since this prediction.').waitFor()
    await dialog.getByRole('button', { name: 'Predict', exact: true }).click()
    await dialog.getByText('CASE_VALUE_MISSING').waitFor()
  })

  test('predicts a table as a task whose file is downloaded', async ({ open }) => {
    const page = await open(`/models/${model}`)
    await page.getByRole('button', { name: 'Predict', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('tab', { name: 'Many cases' }).click()
    await dialog.getByLabel('Table or folder').fill(join(dataset, 'test.csv'))
    await dialog.getByRole('button', { name: 'Predict', exact: true }).click()
    const save = page.getByRole('link', { name: 'Download file' })
    await save.waitFor()
    const file = await page.request.get((await save.getAttribute('href')) ?? '')
    expect((await file.text()).split('\n', 1)[0]).toMatch(/^(?:.+,)?file,row,.*probability_/)
  })

  test('states why an evaluation fails, even before a list of tasks contains it', async ({ open }) => {
    const page = await open(`/models/${model}`)
    await page.route('**/api/tasks?*', (route) => route.fulfill({ json: { tasks: [], total: 0 } }))
    const headers = join(dataset, 'no-case.csv')
    writeFileSync(headers, readFileSync(join(dataset, 'test.csv'), 'utf8').split('\n', 1)[0] ?? '')
    await page.getByRole('button', { name: 'Evaluate', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Table').fill(headers)
    await dialog.getByRole('button', { name: 'Evaluate', exact: true }).click()
    await page.getByRole('main').getByText('CSV_MALFORMED').waitFor()
    await expectAccessible(page)
  })

  test('is deleted after its consequences were shown; open views of it report the deletion', async ({
    open,
    expected,
  }) => {
    expected.push(/status of 404/)
    const other = await trained('to be deleted')
    const [page, elsewhere] = [await open(`/models/${other}`), await open(`/models/${other}`)]
    await elsewhere.getByRole('heading', { level: 1, name: other }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText(`the model ${other} with its checkpoints`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await elsewhere.getByText('MODEL_NOT_FOUND').waitFor()
    await elsewhere.getByRole('link', { name: 'All models' }).waitFor()
    await expectAccessible(elsewhere)
  })
})

describe('other tasks', () => {
  /** 120 patients: two numbers that predict three classes, two labels, and a time. */
  function writeTable(): string {
    const file = join(dataset, 'tasks.csv')
    const rows = Array.from({ length: 120 }, (_, row) => {
      const [a, b] = [((row * 37) % 101) / 50 - 1, ((row * 53) % 97) / 48 - 1]
      const labels = [a + b / 3 > 0, b - a / 3 > 0].map((on) => (on ? 'yes' : 'no'))
      const days = Math.round(100 * Math.exp(-a)) + (row % 7) + 1
      return [`p${row}`, a, b, (2 * a - b).toFixed(3), ...labels, days, row % 4 ? 1 : 0].join(',')
    })
    writeFileSync(file, ['patient_id,a,b,number,first,second,days,dead', ...rows, ''].join('\n'))
    return file
  }

  const others = (...own: string[]) =>
    ['number', 'first', 'second', 'days', 'dead'].filter((column) => !own.includes(column))

  test.for([
    ['numbers', { label_column: 'number', ignore_columns: others('number') }],
    ['labels', { label_columns: ['first', 'second'], ignore_columns: others('first', 'second') }],
    ['times', { time_column: 'days', event_column: 'dead', ignore_columns: others('days', 'dead') }],
  ] as const)('%s have drawings and metrics of their own', async ([name, data], { open }) => {
    const config = trainingConfig(dataset, { model: { vision_backbone: 'none' }, training: { epochs: 1 } })
    const own = {
      ...config,
      data: { train_csv: writeTable(), ...data, ignore_columns: [...data.ignore_columns] },
    }
    const job = await caller.ended(await caller.start(own, name), 200)
    const id = job.model_id ?? ''
    const page = await open(`/models/${id}`)
    await page.getByText('Provenance').waitFor()
    const { result } = await validationOf(id)
    if (name === 'numbers') {
      expect(await rowOf(page, 'Metrics', 'MAE')).toContain(three(result.metrics.mae))
      await page.getByText(`Bias ${three(result.regression?.bias)}`).waitFor()
    } else if (name === 'labels') {
      await page.getByRole('button', { name: 'second', exact: true }).click()
      await page.getByText('ROC curve · second').waitFor()
    } else {
      expect(await rowOf(page, 'Metrics', "Uno's C")).toContain(three(result.metrics.uno_c))
      const [group] = result.survival?.groups ?? []
      const row = await rowOf(page, 'Number at risk', group?.name ?? '')
      expect(row).toContain([group?.cases, group?.events, ...(group?.at_risk ?? [])].join(' '))
    }
    expect(await page.getByRole('cell', { name: 'Accuracy', exact: true }).count()).toBe(0)
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

describe('many classes', () => {
  test('of a confusion matrix are a drawing and a list, and leave the page in motion', {
    tags: ['full'],
  }, async ({ open }) => {
    const many = await trained('500 classes')
    const { job_id } = await modelOf(many)
    const { body: job } = await caller.get<{ run_dir: string }>(`/api/training/${job_id}/status`)
    const file = join(job.run_dir, 'metrics/validation.json')
    writeFileSync(file, JSON.stringify(widened(JSON.parse(readFileSync(file, 'utf8')))))
    const page = await open(`/models/${many}`)
    await page.getByRole('img', { name: /Confusion matrix of 500 classes/ }).waitFor()
    await page
      .getByRole('button', { name: '3 cases of class 007 predicted as class 008; view them' })
      .waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(300)
    expect(await rowOf(page, 'Coverage', 'class 003')).toBe('class 003 9  0.853 0.703 to 0.933')
    await page.getByRole('button', { name: 'Show 100 more' }).first().click()
    expect(await rowOf(page, 'Coverage', 'class 100')).toContain('0.950')
    expect(await rowOf(page, 'Temperature scaling', 'Log loss')).toBe(
      'Log loss 0.700 (0.600 to 0.800) 0.650 few cases',
    )
    expect(await rowOf(page, 'Results per patient', 'AUROC')).toContain('0.811 (0.711 to 0.911)')
    expect(await rowOf(page, 'Input importance', 'age')).toBe('age  0.120 0.050 to 0.190')
    expect(await rowOf(page, 'Without images, and without the table', 'Images')).toContain('0.070 13%')
    expect(await rowOf(page, 'Shift between training cases and these cases', 'site')).toContain(
      '2 cases with a category not seen in training',
    )
    await page
      .getByText('Large shift (SMD above 0.25 and above chance, or no category in common): site.')
      .waitFor()
    expect(await rowOf(page, 'Model updating with local data', 'Intercept updated')).toContain('0.217 1.000')
    await page.getByRole('button', { name: 'class 001', exact: true }).click()
    await page.getByText('ROC curve · class 001').waitFor()
    await expectAccessible(page)
    await expectNarrow(page)
  })
})

/** The document of two classes, extended to 500 classes. */
function widened(result: EvaluationDocument['result']): object {
  const classes = Array.from({ length: 500 }, (_, index) => `class ${String(index).padStart(3, '0')}`)
  const curve = { x: [0, 0.5, 1], y: [0, 0.7, 1] }
  return {
    ...result,
    classes,
    ...{ positive_class: null, threshold: null, thresholds: undefined },
    confusion_matrix: classes.map((_, row) =>
      classes.map((_, column) => (row === column ? 9 : row === 7 && column === 8 ? 3 : 0)),
    ),
    per_class: classes.map((name) => ({ name, cases: 9, metrics: { auc: 0.7 }, intervals: {} })),
    roc: classes.map((name) => ({ name, curve })),
    pr: classes.map((name) => ({ name, prevalence: 0.1, curve })),
    ...reliability(classes),
  }
}

/** Results in addition to the metrics, with numbers that appear nowhere else on the page. */
function reliability(classes: readonly string[]) {
  const interval = (estimate: number, low: number | null, reason: string | null = null) => {
    const high = low === null ? null : estimate * 2 - low
    return { estimate, low, high, method: 'patient bootstrap', reason }
  }
  const none = { trained: null, evaluated: null, missing_trained: 0, missing: 0, reason: null }
  const input = { ...none, kind: 'categorical', chance: 0.1 }
  return {
    conformal: {
      ...{ reason: null, alpha: 0.1, method: 'lac', quantile: 0.8, width: null },
      ...{ coverage: interval(0.9, 0.85), mean_size: 2.5, empty: 0, single: 3 },
      per_class: classes.map((name, index) => ({
        ...{ name, cases: 9 },
        coverage: { ...interval(0.85 + index / 1000, 0.7 + index / 1000), high: 0.93 + index / 1000 },
      })),
    },
    temperature: {
      ...{ value: 1.2, reason: null, applied: false, cases: 24, patients: 20 },
      before: { log_loss: interval(0.7, 0.6) },
      after: { log_loss: interval(0.65, null, 'few cases') },
    },
    patient_level: {
      ...{ reason: null, patients: 20, with_several_rows: 4, disagreeing: 1 },
      aggregations: [{ name: 'mean', patients: 19, metrics: { auc: interval(0.811, 0.711) }, reason: null }],
    },
    importance: {
      ...{ metric: 'auc', repeats: 10, seed: 1, num_cases: 24, predictions: null, reason: null },
      inputs: [{ name: 'age', kind: 'column', drop: 0.12, low: 0.05, high: 0.19 }],
      ablation: [
        { without: 'images', drop: 0.02, low: -0.01, high: 0.05, mean_change: 0.07, changed: 0.125 },
      ],
    },
    shift: {
      cases_trained: 96,
      inputs: [
        { ...input, name: 'site', smd: 0.6, unseen: 2 },
        { ...input, name: 'sex', smd: 0.05, unseen: 0 },
      ],
      outcome: { smd: 0.05, classes: null, trained: { mean: 1, sd: 2 }, evaluated: { mean: 3, sd: 4 } },
    },
    recalibration: {
      ...{ reason: null, original: { brier: 0.2 } },
      updates: [{ name: 'intercept', intercept: 0.217, slope: 1, metrics: { brier: 0.19 } }],
    },
  }
}

describe('the aliases of a model', () => {
  test('are set by keyboard with their evaluation, found by day, and removed with their history kept', async ({
    open,
  }) => {
    const page = await open(`/models/${model}`)
    const set = page.getByRole('button', { name: 'Set alias' })
    await set.press('Enter')
    const dialog = page.getByRole('dialog')
    const name = dialog.getByRole('combobox', { name: 'Alias', exact: true })
    await name.fill('Champion_1')
    await dialog.getByText('Use 1 to 63 of the characters').waitFor()
    await name.fill('screening-2026')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('first of the study')
    await dialog.getByRole('button', { name: 'Set alias' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'History of screening-2026' }).press('Enter')
    const entries = dialog.getByRole('region', { name: 'History of screening-2026' }).getByRole('row')
    await entries.filter({ hasText: 'first of the study' }).getByRole('link', { name: model }).waitFor()
    await page.keyboard.press('Escape')

    await page.goto(new URL('/models', page.url()).href)
    const day = new Date().toLocaleDateString('sv')
    await page.getByRole('combobox', { name: 'Current or former alias' }).fill('screening-2026')
    await page.getByLabel('Day', { exact: true }).fill(day)
    await page.getByRole('button', { name: 'Find model' }).press('Enter')
    const answer = page.getByText(`screening-2026 on ${day}`).locator('..')
    await answer.getByRole('link', { name: model }).waitFor()
    await expectAccessible(page)
    await expectNarrow(page)

    await page.getByRole('button', { name: 'History of screening-2026' }).press('Enter')
    await dialog.getByRole('button', { name: 'Remove alias' }).press('Enter')
    await page.getByRole('heading', { name: 'Remove the alias screening-2026?' }).waitFor()
    await dialog.getByRole('button', { name: 'Remove alias' }).press('Enter')
    await page.getByRole('button', { name: 'History of screening-2026' }).waitFor({ state: 'detached' })
    await answer.getByText('Removed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Complete history' }).press('Enter')
    await entries.filter({ hasText: 'first of the study' }).waitFor()
    await dialog.getByRole('button', { name: 'Remove alias' }).waitFor({ state: 'detached' })
    const { moves } = (await caller.get<{ moves: AliasMove[] }>('/api/aliases/screening-2026/history')).body
    expect(moves.map(({ model_id, note }) => [model_id, note])).toEqual([
      [null, null],
      [model, 'first of the study'],
    ])
  })
})

test('a follow-up is created, gets its outcomes, is evaluated beside the development, and is closed', async ({
  open,
}) => {
  const [head = [], ...rows] = readRows(join(dataset, 'train.csv'))
  const label = head.indexOf('label')
  const lines = rows.map((row, index) => [`c${index}`, ...row].join(','))
  writeFileSync(join(dataset, 'new.csv'), `${[['case', ...head].join(','), ...lines].join('\n')}\n`)
  const outcomes = rows.map((row, index) => `c${index},${row[label]}`)
  writeFileSync(join(dataset, 'outcomes.csv'), `case,label\n${outcomes.join('\n')}\n`)
  const followed = await trained('to be followed')
  const page = await open(`/models/${followed}`)
  const dialog = page.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()

  await page.getByRole('button', { name: 'New follow-up' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('ward 3')
  await dialog.getByLabel('Column with the ID of each case').fill('case')
  await press('Create')
  await page.getByRole('heading', { name: 'ward 3' }).waitFor()
  await caller.post(`/api/models/${followed}/predict?wait=true`, { path: join(dataset, 'new.csv') })

  await page.getByRole('button', { name: 'Add outcomes' }).click()
  await dialog.getByLabel('Table of outcomes', { exact: true }).fill(join(dataset, 'outcomes.csv'))
  await press('Add')
  await expect.poll(() => dialog.getByRole('status').textContent()).toContain(`Added${rows.length}`)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Evaluate outcomes' }).click()
  const row = page.getByRole('region', { name: 'Time windows' }).getByRole('row').last()
  const [one] = (await caller.get<{ follow_ups: FollowUp[] }>(`/api/follow-ups?model_id=${followed}`)).body
    .follow_ups
  const path = `/api/follow-ups/${one?.follow_up_id}`
  const evaluated = async () => (await caller.get<FollowUpEvaluation>(`${path}/evaluation`)).body
  await expect.poll(async () => (await evaluated()).evaluations).toBe(1)
  const { windows, series } = await evaluated()
  await expect.poll(() => row.textContent()).toContain(windows[0]?.reason ?? three(windows[0]?.metrics.auc))
  await page.getByText('Drift of inputs and calibration').click()
  const drift = page.getByRole('region', { name: 'Drift of inputs and calibration' })
  expect(await drift.getByRole('row').count()).toBe(series.length + 1)
  await expectAccessible(page)
  await expectNarrow(page)

  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expectDialog(page, dialog)
  await press('Close follow-up')
  await page.getByText('Closed', { exact: true }).waitFor()
})

test('the model card is offered in each form', async ({ open }) => {
  const page = await open(`/models/${model}`)
  await page.getByRole('button', { name: 'Model card' }).click()
  const links = page.getByRole('dialog').getByRole('link')
  const starts = {
    'Hugging Face (README.md)': /^---\ntags:/,
    'CHAI Applied Model Card': /^# Applied Model Card: /,
  }
  expect(await links.allTextContents()).toEqual(Object.keys(starts))
  for (const [name, start] of Object.entries(starts)) {
    const href = (await links.filter({ hasText: name }).getAttribute('href')) ?? ''
    const response = await page.request.get(new URL(href, page.url()).href)
    expect(await response.text()).toMatch(start)
  }
})
