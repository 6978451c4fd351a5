import type { EvaluationResult } from '@medloom/contracts'
import { thin } from '../../charts/axes.js'
import { blandAltmanChart, scatterChart } from '../../charts/regression.js'
import { type Figure, numeric, table } from '../../document/document.js'
import { formatNumber } from '../../document/numbers.js'

const LISTED_CASES = 25

export function regressionFigures(
  regression: NonNullable<EvaluationResult['regression']>,
  prefix: string,
): Figure[] {
  const { truth, predicted, bias, loa_low, loa_high } = regression
  const points = thin(
    truth.map((value, index) => [value, predicted[index]] as const),
    LISTED_CASES,
  )
  const note =
    truth.length > LISTED_CASES ? ['A selection of cases; the predictions file contains all of them.'] : []
  return [
    {
      chart: scatterChart(regression, `${prefix}scatter`),
      table: table(
        'Predicted and true values',
        [numeric('True'), numeric('Predicted')],
        points.map(([value, guess]) => [formatNumber(value), formatNumber(guess)]),
        note,
      ),
    },
    {
      chart: blandAltmanChart(regression, `${prefix}bland-altman`),
      table: table(
        'Agreement',
        ['Quantity', numeric('Value')],
        [
          ['Bias (predicted minus true)', formatNumber(bias)],
          ['Lower limit of agreement', formatNumber(loa_low)],
          ['Upper limit of agreement', formatNumber(loa_high)],
        ],
      ),
    },
  ]
}
