import type { ComparisonResult } from '@medloom/contracts'
import { type Cell, numeric, paragraph, type Section, table } from '../../document/document.js'
import { formatShare } from '../../document/numbers.js'
import { pText } from './differences.js'

/** Cases that both, one or neither of two models classify correctly; null for a regression. */
export function agreementSection({ pairs, num_cases }: ComparisonResult): Section | null {
  const rows = pairs.flatMap(({ first, second, agreement, differences }): Cell[][] =>
    agreement === null
      ? []
      : [
          [
            `${first} and ${second}`,
            formatShare(agreement.both_right, num_cases),
            formatShare(agreement.only_first, num_cases),
            formatShare(agreement.only_second, num_cases),
            formatShare(agreement.both_wrong, num_cases),
            pText(differences.accuracy?.p ?? null),
          ],
        ],
  )
  if (rows.length === 0) return null
  return {
    id: 'agreement',
    title: 'Correct predictions',
    blocks: [
      paragraph(
        'Only the cases that exactly one of the two models classifies correctly show which model is better. If there are many such cases for both models, the models make different errors, and their mean may perform better than either.',
      ),
      table(
        'Cases classified correctly by two models',
        [
          'Models',
          numeric('Both correct'),
          numeric('Only the first correct'),
          numeric('Only the second correct'),
          numeric('Both incorrect'),
          numeric('p (accuracy)'),
        ],
        rows,
      ),
    ],
  }
}
