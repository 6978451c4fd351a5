import type { Evaluation } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { evaluationPage } from './evaluate.js'

const evaluation: Evaluation = {
  evaluation_id: '3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f',
  model_id: 'resnet18_gated_001',
  split: 'test',
  task: 'regression',
  metrics: { accuracy: null, auc: null, f1_score: null, mae: 5.25, r2: 0.5 },
  intervals: { mae: { estimate: 5.25, low: 4.5, high: 6, method: 'patient bootstrap', reason: null } },
  baselines: [],
  num_cases: 90,
  num_patients: 45,
  warnings: [],
  report_path: '/runs/report.html',
  predictions_path: '/runs/predictions.csv',
  test_evaluations: 1,
}

it('prints the metrics of a regression without rows for classes', () => {
  const page = evaluationPage(evaluation)
  expect(page).toMatch(/mae +5\.250 +4\.500 to 6\.000/)
  expect(page).toMatch(/r2 +0\.5/)
  expect(page).not.toMatch(/accuracy|auc|f1_score/)
})

it.each<[Evaluation['task'], Evaluation['metrics'], string[]]>([
  [
    'survival',
    { accuracy: null, auc: null, f1_score: null, c_index: 0.7, uno_c: 0.68 },
    ['c_index', 'uno_c'],
  ],
  [
    'multilabel',
    { accuracy: null, auc: 0.8, f1_score: 0.6, hamming_loss: 0.2 },
    ['auc', 'f1_score', 'hamming_loss'],
  ],
])('prints the metrics of %s alone', (task, metrics, shown) => {
  const rows = evaluationPage({ ...evaluation, task, metrics }).split('\n\n')[1] ?? ''
  expect(rows.split('\n').map((line) => line.split(' ')[0])).toEqual(['metric', ...shown])
})

it('prints each baseline with its verdict for this model', () => {
  const text = 'not significantly different from ridge regression: RMSE difference 0.1 (−0.2 to 0.4)'
  const verdict = {
    baseline: 'logistic_regression' as const,
    title: 'ridge regression',
    metric: 'rmse',
    verdict: 'inconclusive' as const,
    text,
  }
  const page = evaluationPage({
    ...evaluation,
    baselines: [
      {
        name: 'logistic_regression',
        title: 'ridge regression',
        settings: 'penalty = 1',
        threshold: null,
        metrics: { rmse: 6.5 },
        notes: {},
        intervals: {},
        differences: {},
        verdict,
        predictions: 'predictions-logistic_regression.csv',
      },
    ],
  })
  expect(page).toMatch(/ridge regression +rmse 6\.500 +the model is not significantly different from/)
  expect(page).toContain(text)
})

it('prints an undefined metric of a class with the reason', () => {
  const reason = 'the cases are of one class only'
  const page = evaluationPage({
    ...evaluation,
    task: 'classification',
    metrics: { accuracy: 0.75, auc: null, f1_score: 0.5 },
    intervals: { auc: { estimate: null, low: null, high: null, method: '', reason } },
  })
  expect(page).toMatch(/accuracy +0\.75/)
  expect(page).toMatch(new RegExp(`auc .*${reason}`))
})
