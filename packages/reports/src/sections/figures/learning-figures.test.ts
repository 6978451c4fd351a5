import { expect, it } from 'vitest'
import { learningFigures } from './learning-figures.js'

const namesOf = (metrics: Record<string, number>) =>
  learningFigures([1, 2].map((epoch) => ({ epoch, metrics })) as never, null).map(({ chart, table }) => [
    chart.name,
    table?.columns.map(({ label }) => label),
  ])

it('draws the validation metrics of a survival training', () => {
  expect(namesOf({ train_loss: 1, val_loss: 1, val_c_index: 0.7, val_integrated_brier: 0.1 })).toEqual([
    ['learning-curve-loss', expect.any(Array)],
    ['learning-curve-metrics', ['Epoch', "Validation Harrell's C", 'Validation integrated Brier score']],
  ])
})

it('draws the errors of a regression, and not R² on their scale', () => {
  expect(namesOf({ val_mae: 2, val_rmse: 3, val_r2: 0.4 })).toEqual([
    ['learning-curve-metrics', ['Epoch', 'Validation MAE', 'Validation RMSE']],
  ])
})
