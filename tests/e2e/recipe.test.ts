import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset, Evaluation, Job } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { training } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(training.url)
const medloom = new MedloomCommand(training.dataset, { MEDLOOM_URL: training.url })
const clinic = join(training.dataset, 'clinic')

/** One table for each split, one with the findings, and images in two folders, named after the exam. */
function writeClinic() {
  const findings = ['exam,age,sex,diagnosis']
  for (const split of ['train', 'test']) {
    const [header = [], ...rows] = readRows(join(training.dataset, `${split}.csv`))
    const of = (row: string[], column: string) => row[header.indexOf(column)] ?? ''
    const exams = rows.map((row, index) => {
      const exam = basename(of(row, 'image'), '.png')
      const part = join(clinic, `part_${(index % 2) + 1}`)
      mkdirSync(part, { recursive: true })
      copyFileSync(join(training.dataset, of(row, 'image')), join(part, `${exam}.png`))
      findings.push([exam, of(row, 'age'), of(row, 'sex'), of(row, 'label')].join(','))
      return [exam, of(row, 'patient_id')].join(',')
    })
    writeFileSync(join(clinic, `exams_${split}.csv`), ['exam,person', ...exams, ''].join('\n'))
  }
  writeFileSync(join(clinic, 'findings.csv'), `${findings.join('\n')}\n`)
}

const RECIPE = {
  version: 1,
  files: [
    { name: 'exams', path: 'exams_{split}.csv' },
    { name: 'findings', path: 'findings.csv' },
  ],
  join: [{ table: 'findings', on: ['exam'] }],
  images: [{ column: 'image', search: ['part_{_}'], key: 'exam' }],
  patient: { column: 'person' },
  label: { column: 'diagnosis', name: 'cancer', map: { benign: 'no', malignant: 'yes' } },
  split: { column: 'split', words: { train: ['train'], test: ['test'] } },
}
const config = (recipe: object) => ({
  ...trainingConfig(clinic, { training: { epochs: 1 } }),
  data: { train_csv: 'clinic', image_size: [32, 32], recipe },
})

let job: Job
beforeAll(async () => {
  writeClinic()
  const file = join(training.dataset, 'recipe.yaml')
  writeFileSync(file, stringify(config(RECIPE)))
  const started = await medloom.run('train', '-f', file, '--json')
  expect(started.stderr).toBe('')
  job = await caller.ended(JSON.parse(started.stdout).job_id)
})

describe('a folder of tables and images, with a recipe', () => {
  it('is trained on by the command line, with nothing but the recipe', () => {
    expect(job).toMatchObject({
      status: 'completed',
      config: { data: { train_csv: clinic, recipe: RECIPE } },
    })
    expect(job.prepared).toMatchObject({
      label_column: 'cancer',
      patient_column: 'person',
      split_column: 'split',
      image_columns: ['image'],
      numeric_columns: ['age'],
      categorical_columns: ['sex'],
    })
  })

  it('is evaluated with the recipe of the model, and every prediction names its file and row', async () => {
    const { status, body } = await caller.post<Evaluation>(`/api/models/${job.model_id}/evaluate`, {})
    expect(status).toBe(200)
    const tests = readRows(join(clinic, 'exams_test.csv'))
    expect(body.num_cases).toBe(tests.length - 1)
    const predictions = readFileSync(body.predictions_path, 'utf8')
    expect(predictions).toContain('exams_test.csv')
    const report = readFileSync(body.report_path, 'utf8')
    expect(report).toContain('joined with')
  })

  it('is a registered dataset with the table that the recipe makes', async () => {
    const added = await medloom.run('datasets', 'add', clinic, '--recipe', 'recipe.yaml', '--json')
    expect(added.stderr).toBe('')
    const body: Dataset = JSON.parse(added.stdout)
    expect(body).toMatchObject({
      kind: 'multimodal',
      recipe: RECIPE,
      classes: [{ name: 'no' }, { name: 'yes' }],
    })
    const train = readRows(join(clinic, 'exams_train.csv')).length - 1
    expect(body.splits.train).toBe(train)
    const { body: shown } = await caller.get<{ total: number }>(
      `/api/datasets/${body.dataset_id}/cases?split=train`,
    )
    expect(shown.total).toBe(train)
    const again = await caller.patch(`/api/datasets/${body.dataset_id}`, { recipe: null })
    expect(again.status).toBe(400) // the folder has several tables
  })

  it('is refused before it is queued if the recipe has a newer version or leaves the folder', async () => {
    const wrong = config({ ...RECIPE, version: 2, files: [{ name: 'exams', path: '../train.csv' }] })
    const { status, body } = await caller.post<{ issues: { path: string; hint?: string }[] }>(
      '/api/training/start',
      {
        config: { ...wrong, data: { ...wrong.data, train_csv: clinic } },
      },
    )
    expect(status).toBe(400)
    expect(body.issues.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['config.data.recipe.version', 'config.data.recipe.files.0.path']),
    )
    expect(body.issues[0]?.hint).toContain('Update Medloom')
  })
})
