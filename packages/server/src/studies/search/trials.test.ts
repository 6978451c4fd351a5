import { expect, test } from 'vitest'
import type { TrainingRecord } from '../study-record.js'
import { isReady, measuredTrainings, searchCells } from './trials.js'

const training = (position: number, changes: Partial<TrainingRecord>): TrainingRecord => ({
  ...{ position, variant: 'search', seed: 0, fold: null, trial: position, job_id: `job ${position}` },
  ...{
    due: false,
    metrics: {},
    settings: {},
    value: null,
    pruned_at: null,
    status: 'completed',
    error: null,
    done: 1,
  },
  ...changes,
})
const studyOf = (search: object) =>
  ({
    config: { training: { early_stopping: { monitor: 'auto' } } },
    search: { metric: 'auto', ...search },
  }) as never
const lower = studyOf({ sampler: 'random', pruner: 'none' })
const bestOf = (study: never, trials: TrainingRecord[]) => searchCells(study, trials)[0]?.best?.position

test('the best is the first of the lowest, or of the highest', () => {
  const trials = [3, 1, 2, 1, 3].map((value, position) => training(position, { value }))
  expect(bestOf(lower, trials)).toBe(1)
  expect(bestOf(studyOf({ metric: 'val_auc' }), trials)).toBe(0)
})

test('trials without a value, pruned ones and ones that are trained again cannot be chosen', () => {
  const trials = [
    training(0, { value: null }),
    training(1, { value: 0.1, status: 'pruned', pruned_at: 2 }),
    training(2, { value: 0.2, due: true }),
    training(3, { value: 0.3, status: 'failed' }),
    training(4, { value: 0.9 }),
  ]
  expect(bestOf(lower, trials)).toBe(4)
})

test('only chosen trials are evaluated, and nothing before the last trial has ended', () => {
  const base = training(0, { variant: 'base', trial: null })
  const first = training(1, { value: 0.5 })
  const second = training(2, { value: 0.4 })
  const measured = (trainings: TrainingRecord[]) =>
    measuredTrainings(lower, trainings).map(({ position }) => position)
  expect(measured([base, first, second])).toEqual([0, 2])
  for (const open of [
    { status: 'running' },
    { status: 'stopped' },
    { due: true },
    { metrics: null },
  ] as const)
    expect(measured([base, first, training(2, open)])).toEqual([0])
})

test('TPE and the median rule wait for earlier trials, grid and random do not', () => {
  const trials = [training(0, { status: 'running' }), training(1, { status: 'waiting', due: true })]
  const ready = (search: object) => {
    const study = studyOf(search)
    return isReady(study, searchCells(study, trials), trials[1] as TrainingRecord)
  }
  expect(ready({ sampler: 'random', pruner: 'none' })).toBe(true)
  expect(ready({ sampler: 'tpe', pruner: 'none' })).toBe(false)
  expect(ready({ sampler: 'grid', pruner: 'median' })).toBe(false)
})
