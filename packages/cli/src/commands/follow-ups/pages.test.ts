import type { FollowUpEvaluation } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { evaluationPage, followUpPage } from './pages.js'

const interval = (estimate: number) => ({
  ...{ estimate, low: estimate - 0.1, high: estimate + 0.1, method: 'DeLong', reason: null },
})
const coverage = {
  ...{ predicted: 130, with_outcome: 90, waiting: 40, repeated: 2, without_id: 0, failed: 0 },
  windows: [
    {
      ...{ window: 1, predicted: 130, with_outcome: 90 },
      ...{ start: '2026-01-01T00:00:00.000Z', end: '2026-01-31T00:00:00.000Z' },
    },
  ],
}
const evaluation = {
  ...{ follow_up_id: 'f', model_id: 'resnet18_gated_001', evaluated_at: '2026-03-01T00:00:00.000Z' },
  ...{ evaluations: 2, coverage, other_checkpoint: 0, reason: null, alpha: 0.05, tests: 6 },
  development: {
    ...{ evaluation_id: 'e', split: 'test', num_cases: 60, num_patients: 50, metrics: { auc: 0.8 } },
    intervals: { auc: interval(0.8) },
  },
  result: { task: 'classification', num_cases: 90, metrics: { auc: 0.7 }, intervals: { auc: interval(0.7) } },
  windows: [
    {
      ...{ column: 'window', group: '1', cases: 90, patients: 80, events: 20, reason: null },
      ...{ metrics: { auc: 0.7 }, intervals: { auc: interval(0.7) }, withheld: null },
    },
  ],
  series: [
    {
      ...{ name: 'age', kind: 'numeric', trained: null, reason: null },
      windows: [{ window: 1, value: 0.8, p: 0.0001, p_holm: 0.0006, alarm: true, reason: null }],
    },
    { name: null, kind: 'calibration_slope', trained: null, reason: 'no test', windows: [] },
  ],
  update: {
    ...{ reason: null, original: { log_loss: 0.7 } },
    updates: [
      {
        ...{ name: 'intercept', intercept: 0.5, slope: 1, metrics: { log_loss: 0.6 } },
        ...{ intercept_interval: interval(0.5), slope_interval: null },
      },
    ],
  },
} as unknown as FollowUpEvaluation

test('the text of an evaluation shows the development, the windows, the update and the alarms', () => {
  const page = evaluationPage(evaluation)
  expect(page).toMatch(/development \(test\) +60 +0\.800 \(0\.700 to 0\.900\)/)
  expect(page).toMatch(/window 1 +90 +0\.700/)
  expect(page).toContain('intercept 0.500 (0.400 to 0.600), slope 1.000, log loss 0.600')
  expect(page).toMatch(/window 1 +mean \(SMD\) +age +0\.800/)
  expect(page).toContain('not tested: calibration slope: no test')
  expect(page).toContain('This is evaluation 2 of the follow-up.')
})

test('a window whose counts are withheld states it', () => {
  const [window] = evaluation.windows
  if (!window) throw new Error('there is no window')
  const hidden = { ...window, cases: null, metrics: {}, intervals: {}, withheld: 'size' as const }
  expect(evaluationPage({ ...evaluation, windows: [hidden] })).toMatch(
    /window 1 +few .*withheld: a count is below 5/,
  )
})

test('without alarms and without a result, that is stated', () => {
  const page = evaluationPage({
    ...{ ...evaluation, result: null, windows: [], series: [], update: null },
    reason: 'fewer than 20 patients',
  })
  expect(page).toContain('no result: fewer than 20 patients')
  expect(page).toContain('no alarms')
})

test('the coverage is shown by window', () => {
  const page = followUpPage({
    ...{ follow_up_id: 'f', name: 'ward 3', model_id: 'm', id_column: null, silent: true, window_days: 30 },
    ...{ owner: 'ann', created_at: '2026-01-01T00:00:00.000Z', closed_at: null, coverage },
    evaluations: 0,
  })
  expect(page).toContain('open, silent')
  expect(page).toContain('130 cases, 90 with an outcome, 40 waiting')
  expect(page).toMatch(/1 +2026-01-01 +2026-01-31 +130 +90/)
})
