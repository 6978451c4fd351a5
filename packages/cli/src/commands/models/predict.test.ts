import { resolve } from 'node:path'
import type { CasePredictions, Prediction } from '@medloom/contracts'
import { describe, expect, it, test } from 'vitest'
import { predictionsPage } from './predict.js'
import { readSource, rowsOf, withImages } from './predict-input.js'

describe('cells of rows', () => {
  it.each([
    [['age=54', 'sex=f'], [{ age: '54', sex: 'f' }]],
    [
      ['age=54', 'sex=f', 'age=60'],
      [{ age: '54', sex: 'f' }, { age: '60' }],
    ],
    [['note=a=b', 'empty='], [{ note: 'a=b', empty: '' }]],
  ])('%j', (cells, rows) => expect(rowsOf(cells)).toEqual(rows))

  it.each(['age', '=54'])('%s is not a cell', (cell) => expect(() => rowsOf([cell])).toThrow(`--row ${cell}`))
})

describe('images', () => {
  const model = { images: ['image'], table: [] }
  it('are one case each', () =>
    expect(withImages(['/a.png', '/b.png'], [], model)).toEqual([{ image: '/a.png' }, { image: '/b.png' }]))
  it('get the cells of the same case', () =>
    expect(withImages(['/a.png'], [{ age: '54' }], { ...model, table: ['age'] })).toEqual([
      { age: '54', image: '/a.png' },
    ]))
  it.each([
    [{ images: [], table: ['age'] }, 'reads no images'],
    [{ images: ['left', 'right'], table: [] }, 'reads 2 images'],
    [{ images: ['image'], table: ['age'] }, 'also reads the columns age'],
  ])('are refused for a model with %j', (inputs, message) =>
    expect(() => withImages(['/a.png'], [], inputs)).toThrow(message),
  )
})

test('a table is read by the service; only images require the columns of the model', async () => {
  const inputs = async () => ({ images: ['image'], table: [] })
  expect(await readSource(['/new.csv'], [], () => expect.fail())).toEqual({ path: '/new.csv' })
  expect(await readSource([], ['age=54'], () => expect.fail())).toEqual({ rows: [{ age: '54' }] })
  const here = ['image=package.json', 'note=package.json', 'image=elsewhere.png']
  expect(await readSource([], here, inputs)).toEqual({
    rows: [{ image: resolve('package.json'), note: 'package.json' }, { image: 'elsewhere.png' }],
  })
  expect(await readSource(['/scan.nii.gz'], [], inputs)).toEqual({ rows: [{ image: '/scan.nii.gz' }] })
  await expect(readSource([], [], inputs)).rejects.toThrow('no cases')
  await expect(readSource(['/a.csv', '/b.csv'], [], inputs)).rejects.toThrow('all cases')
})

const prediction: Prediction = {
  ...{
    row: 1,
    file: null,
    id: 'p1',
    predicted: 'malignant',
    probabilities: { benign: 0.25, malignant: 0.75 },
  },
  ...{ set: ['malignant'], interval: null, risk: null, survival: null, disagreement: null, error: null },
  warnings: [
    { code: 'IMAGE_UNLIKE_TRAINING', message: 'The image is unlike the training.', column: 'image' },
  ],
}
const failed: Prediction = {
  ...prediction,
  ...{ row: 2, id: 'p2', predicted: null, probabilities: null, set: null, warnings: [] },
  error: { code: 'IMAGES_UNREADABLE', message: 'The image cannot be read.', column: 'image' },
}
const result: CasePredictions = {
  ...{ model_id: 'resnet18_gated_001', alias: 'latest', num_cases: 2, num_failed: 1 },
  basis: {
    ...{ task: 'classification', classes: ['benign', 'malignant'], checkpoint_digest: 'c', epoch: 2 },
    ...{ temperature: 1.5, operating_point: 'youden', threshold: 0.4, coverage: 0.9 },
    ...{ training_cases: 120, training_patients: 60, image_distance: null, intended_use: null },
  },
  performance: {
    ...{ evaluation_id: 'e', metric: 'auc', value: 0.8125, num_cases: 40, num_patients: 20 },
    interval: { estimate: 0.8125, low: 0.7, high: 0.9, method: 'DeLong', reason: null },
  },
  predictions: [prediction, failed],
  ...{ file: null, prediction_id: '3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f', recorded: true },
  ...{ hidden: false, warnings: [] },
}

test('the text shows each case, its warnings, and what the predictions are based on', () => {
  const page = predictionsPage(result)
  expect(page).toMatch(/^resnet18_gated_001 \(latest\), 2 cases, 1 case without a prediction/)
  expect(page).toMatch(/p1 +malignant +0\.750 +malignant +IMAGE_UNLIKE_TRAINING/)
  expect(page).toMatch(/p2 +error +– +– +IMAGES_UNREADABLE/)
  expect(page).toContain('auc 0.813 (95% CI 0.700 to 0.900) on 40 cases')
  expect(page).toContain('120 cases')
  expect(page).toContain('1.500')
  expect(page).toContain('0.400 (youden)')
  expect(page).toContain('intended use      not written')
  expect(page).toContain('For research use only.')
})

test('hidden predictions are explained', () => {
  const hidden = { ...prediction, predicted: null, probabilities: null, set: null }
  const page = predictionsPage({ ...result, predictions: [hidden], hidden: true })
  expect(page).toContain('A silent follow-up of the model is open')
  expect(page).toMatch(/p1 +– +– +– +IMAGE_UNLIKE_TRAINING/)
})
