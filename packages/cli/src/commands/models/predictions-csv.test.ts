import type { CasePredictions, Prediction } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { csvOf } from './predictions-csv.js'

type Basis = CasePredictions['basis']

const nothing = {
  ...{ file: null, id: null, predicted: null, probabilities: null, set: null, interval: null },
  ...{ risk: null, survival: null, disagreement: null, warnings: [], error: null },
}
const classification: Basis = {
  ...{ task: 'classification', classes: ['benign', '=1+1'], checkpoint_digest: 'c', epoch: 2 },
  ...{ temperature: null, operating_point: 'default', threshold: 0.4, coverage: 0.9 },
  ...{ training_cases: 120, training_patients: 60, image_distance: null, intended_use: null },
}
const basisOf = (task: Basis['task'], classes: string[] | null, coverage: number | null) => ({
  ...classification,
  ...{ task, classes, coverage, operating_point: null, threshold: null },
})
const warning = (code: string) => ({ code, message: 'unusual', column: 'image' })

test('classes have their probabilities, set, threshold and warnings; no text is a formula', () => {
  const prediction: Prediction = {
    ...nothing,
    ...{ row: 1, id: '@x', predicted: '=1+1', probabilities: { benign: 0.25, '=1+1': 0.75 } },
    ...{ set: ['benign', '=1+1'], disagreement: 0.02 },
    warnings: [
      warning('IMAGE_UNLIKE_TRAINING'),
      warning('VALUE_OUTSIDE_TRAINING'),
      warning('IMAGE_UNLIKE_TRAINING'),
    ],
  }
  const error = { code: 'IMAGES_UNREADABLE', message: 'The image cannot be read.', column: 'image' }
  expect(csvOf({ basis: classification, predictions: [prediction, { ...nothing, row: 2, error }] })).toBe(
    `row,id,predicted,probability_benign,probability_=1+1,prediction_set,disagreement,threshold,warnings,error
1,'@x,'=1+1,0.25,0.75,benign|=1+1,0.02,0.4,IMAGE_UNLIKE_TRAINING|VALUE_OUTSIDE_TRAINING,
2,,,,,,,0.4,,IMAGES_UNREADABLE: The image cannot be read.
`,
  )
})

test('several labels have two columns each', () => {
  const predictions = [{ ...nothing, row: 1, predicted: ['edema'], probabilities: { edema: 0.8, mass: 0.1 } }]
  expect(csvOf({ basis: basisOf('multilabel', ['edema', 'mass'], null), predictions })).toBe(
    `row,id,predicted_edema,probability_edema,predicted_mass,probability_mass,warnings,error
1,,1,0.8,0,0.1,,
`,
  )
})

test('numbers have their interval', () => {
  const predictions = [{ ...nothing, row: 1, predicted: -1.5, interval: { low: -2, high: -1 } }]
  expect(csvOf({ basis: basisOf('regression', null, 0.9), predictions })).toBe(
    `row,id,predicted,interval_low,interval_high,warnings,error
1,,-1.5,-2,-1,,
`,
  )
})

test('survival has the risk and the share without the event at each time', () => {
  const survival = [12, 365.25].map((time, index) => ({
    time,
    survival: 0.9 - index / 10,
    risk: 0.1 + index / 10,
  }))
  const predictions = [
    { ...nothing, row: 1 },
    { ...nothing, row: 2, risk: 3.5, survival },
  ]
  expect(csvOf({ basis: basisOf('survival', null, null), predictions })).toBe(
    `row,id,risk,survival_12,survival_365.25,warnings,error
1,,,,,,
2,,3.5,0.9,0.8,,
`,
  )
})
