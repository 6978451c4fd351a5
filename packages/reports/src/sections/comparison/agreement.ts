import type { ComparisonResult } from '@medloom/contracts'
import { type Cell, numeric, paragraph, type Section, table } from '../../document/document.js'
import { formatShare } from '../../document/numbers.js'
import { pText } from './differences.js'

/** Correct predictions of two models, case by case; null for a regression. */
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
    title: 'Agreement',
    blocks: [
      paragraph(
        'Cases by which of the two models classifies them correctly. Only the cases that one of them alone gets right say which is better; many of them in both columns mean that the models see different things, and that their mean may do better than either.',
      ),
      table(
        'Cases classified correctly',
        [
          'Models',
          numeric('both'),
          numeric('only the first'),
          numeric('only the second'),
          numeric('neither'),
          numeric('p, accuracy'),
        ],
        rows,
      ),
    ],
  }
}
