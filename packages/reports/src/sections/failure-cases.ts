import type { EvaluationResult, FailureImages } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../document/document.js'
import { formatMetric } from '../document/metric-names.js'
import { formatUnit } from '../document/numbers.js'

type Failure = EvaluationResult['failures'][number]

/**
 * The most confident misclassifications, or the largest errors, by row of the table: no patient data are printed.
 * @param images null: the report shows none.
 */
export function failureSection(result: EvaluationResult, images: FailureImages | null): Section {
  const { failures, split } = result
  const regression = result.task === 'regression'
  const section = (...blocks: readonly Block[]): Section => ({
    id: 'failures',
    title: 'Failure cases',
    blocks,
  })
  if (failures.length === 0)
    return section(
      paragraph(regression ? 'No prediction differs from the true value.' : 'No case was misclassified.'),
    )
  const rowOf = rowsOf(failures)
  const measure = regression ? 'Error' : 'Confidence'
  return section(
    paragraph(
      regression
        ? 'The largest errors, by row number of the evaluated table. Review these cases first.'
        : 'The most confident misclassifications, by row number of the evaluated table. Review these cases first.',
    ),
    table(
      `Failure cases, ${split} split`,
      ['Row', 'True', 'Predicted', numeric(measure)],
      failures.map((failure): Cell[] => [
        rowOf(failure),
        failure.truth,
        failure.predicted,
        confidence(failure, regression),
      ]),
    ),
    ...(images ? imageBlocks(failures, images, rowOf, regression) : []),
  )
}

/** Where cases come from several files, a row is one of its file. */
function rowsOf(failures: readonly Failure[]): (failure: Failure) => string {
  const several = new Set(failures.map(({ file }) => file)).size > 1
  return ({ file, row }) => (several && file ? `${row} of ${file}` : String(row))
}

function imageBlocks(
  failures: readonly Failure[],
  { num_views, cases }: FailureImages,
  rowOf: (failure: Failure) => string,
  regression: boolean,
): Block[] {
  if (num_views === 0) return [paragraph('The model reads no images, so there are none to show.')]
  const shown = cases.flatMap((views, index) => {
    const failure = failures[index]
    return failure ? [{ failure, views }] : []
  })
  return [
    {
      kind: 'image_cases',
      caption: `${shown.length === failures.length ? 'These' : `The first ${shown.length}`} cases as the model sees them`,
      cases: shown.map(({ failure, views }) => ({
        title: `Row ${rowOf(failure)}`,
        lines: [
          `True: ${failure.truth}`,
          `Predicted: ${failure.predicted}`,
          `${regression ? 'Error' : 'Confidence'}: ${confidence(failure, regression)}`,
          ...(views.length === 0 ? ['No image'] : []),
          ...(num_views > 1 && views.length > 0
            ? [
                `${views.length === 1 ? 'View' : 'Views'} ${views.map(({ view }) => view).join(', ')} of ${num_views}`,
              ]
            : []),
        ],
        images: views.map(({ view, png }) => ({
          png,
          description: `Case in row ${rowOf(failure)}${num_views > 1 ? `, view ${view}` : ''}`,
        })),
      })),
    },
    paragraph(
      'Each image is shown as it was prepared for the model, reduced, and without names or identifiers. Text that is burned into an image, or a face, can still identify a patient: look at every image before you pass this report on.',
    ),
  ]
}

function confidence({ confidence: value }: Failure, regression: boolean): string {
  return regression ? formatMetric('', value) : formatUnit(value)
}
