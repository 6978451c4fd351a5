import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackgroundTask, CasePredictions, Evaluation, Job, ModelInputs } from '@medloom/contracts'
import { beforeAll, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'

const { dataset, url } = shared
const caller = new Caller(url)
const medloom = new MedloomCommand(temporaryFolder('predictions'), { MEDLOOM_URL: url })
const path = join(dataset, 'new-cases.csv')

let trained: Job
let evaluation: Evaluation
/** Probability of each class for each case of the evaluation. */
let evaluated: number[][]
beforeAll(async () => {
  trained = await caller.ended(shared.referenceJob)
  const response = await caller.post<Evaluation>(`/api/models/${trained.model_id}/evaluate`, {})
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  evaluation = response.body
  evaluated = probabilitiesIn(evaluation.predictions_path)
  const [head = [], ...rows] = readRows(join(dataset, 'test.csv'))
  const label = head.indexOf('label')
  writeFileSync(path, [head, ...rows].map((row) => `${row.toSpliced(label, 1).join(',')}\n`).join(''))
})

function probabilitiesIn(csv: string): number[][] {
  const [head = [], ...rows] = readRows(csv)
  const columns = head.flatMap((name, index) => (name.startsWith('probability_') ? [index] : []))
  return rows.map((row) => columns.map((index) => Number(row[index])))
}

it('the test cases without their labels have the predictions of the evaluation, and its performance', async () => {
  const { status, body } = await caller.post<CasePredictions>(`/api/models/${trained.model_id}/predict`, {
    ...{ path, calibrated: false },
  })
  expect([status, body.num_cases, body.num_failed]).toEqual([200, evaluated.length, 0])
  expect(body.predictions.map(({ probabilities }) => Object.values(probabilities ?? {}))).toEqual(evaluated)
  expect(body.performance).toMatchObject({
    evaluation_id: evaluation.evaluation_id,
    metric: 'auc',
    value: evaluation.metrics.auc,
    num_cases: evaluation.num_cases,
  })
  expect(probabilitiesIn(String(body.file))).toEqual(evaluated)
})

it('a task has the same predictions in its file', async () => {
  const started = await caller.post<BackgroundTask>(`/api/models/${trained.model_id}/predict?wait=false`, {
    ...{ path, calibrated: false },
  })
  expect(started.status).toBe(202)
  const current = async () => (await caller.get<BackgroundTask>(`/api/tasks/${started.body.task_id}`)).body
  await expect.poll(async () => (await current()).state).not.toBe('running')
  const task = await current()
  expect(task.error).toBeNull()
  const { prediction_id } = task.result as CasePredictions
  const file = await fetch(`${url}/api/predictions/${prediction_id}/file`)
  const saved = join(temporaryFolder('saved'), 'predictions.csv')
  writeFileSync(saved, await file.text())
  expect(probabilitiesIn(saved)).toEqual(evaluated)
})

it('the inputs of the model are the columns of its training with their ranges and categories', async () => {
  const { status, body } = await caller.get<ModelInputs>(`/api/models/${trained.model_id}/inputs`)
  expect(status).toBe(200)
  const { numeric_columns = [], categorical_columns = [], image_columns } = trained.prepared ?? {}
  expect(body.images.columns).toEqual(image_columns)
  expect(body.columns.map(({ name }) => name)).toEqual([...numeric_columns, ...categorical_columns])
  const [head = [], ...rows] = readRows(join(dataset, 'train.csv'))
  for (const { name, range, categories } of body.columns) {
    const cells = rows.map((row) => row[head.indexOf(name)] ?? '').filter((cell) => cell !== '')
    if (range)
      expect([range.low, range.high]).toEqual([
        Math.min(...cells.map(Number)),
        Math.max(...cells.map(Number)),
      ])
    else for (const category of categories ?? []) expect(cells).toContain(category)
    expect(range === null).toBe(categorical_columns.includes(name))
  }
})

it('a single case of the command line is predicted, and recorded without its values', async () => {
  const [head = [], first = []] = readRows(path)
  const cells = head.flatMap((column, index) => ['--row', `${column}=${first[index]}`])
  const { code, stdout } = await medloom.run(
    'models',
    'predict',
    String(trained.model_id),
    ...cells,
    '--json',
  )
  expect(code).toBe(0)
  const { predictions, prediction_id } = JSON.parse(stdout) as CasePredictions
  const values = Object.values(predictions[0]?.probabilities ?? {})
  for (const [index, value] of values.entries()) expect(value).toBeCloseTo(evaluated[0]?.[index] ?? -1, 5)
  const { stdout: records } = await medloom.run('predictions', 'export')
  const record = records.split('\n').find((line) => line.includes(prediction_id))
  expect(JSON.parse(record ?? '')).toMatchObject({
    ...{ kind: 'rows', num_cases: 1, num_failed: 0 },
    software_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(record).not.toContain(first[head.indexOf('patient_id')])
})
