import type { EvaluationResult, FailureImages } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../document/document.js'
import { formatMetric } from '../document/metric-names.js'
import { countOf, formatUnit } from '../document/numbers.js'

type Failure = EvaluationResult['failures'][number]

/**
 * The most confident misclassifications, or the largest errors, by row of the table. The section prints no patient data.
 * @param images null: the report shows none.
 */
export function failureSection(result: EvaluationResult, images: FailureImages | null): Section {
  const { failures, split } = result
  const regression = result.task === 'regression'
  const survival = result.task === 'survival'
  const section = (...blocks: readonly Block[]): Section => ({
    id: 'failures',
    title: 'Failure cases',
    blocks,
  })
  if (failures.length === 0)
    return section(
      paragraph(
        survival
          ? 'No event was observed.'
          : regression
            ? 'No prediction differs from the true value.'
            : 'No case was misclassified.',
      ),
    )
  const rowOf = rowsOf(failures)
  const measure = survival ? 'Predicted survival' : regression ? 'Error' : 'Confidence'
  return section(
    paragraph(
      survival
        ? 'Cases with an event for which the model predicted the highest survival, by row number of the evaluated table. Review these cases first.'
        : regression
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

const SALIENCY =
  'The gray image next to a case is its saliency map (Grad-CAM, Selvaraju et al. 2017): yellow regions increased the score of the prediction most, dark blue regions did not. With several views, the map is that of the view with the largest increase. Its resolution is that of the last feature map. A saliency map does not explain a prediction, show medical relevance, or predict the effect of removing a region; a plausible map does not show that the prediction is correct. A case has no map if no region increased the score.'

const NO_MAP =
  'None of these cases has a saliency map (Grad-CAM): no region of the last feature map increased the score.'

/** If the cases come from several files, a row number includes its file. */
function rowsOf(failures: readonly Failure[]): (failure: Failure) => string {
  const several = new Set(failures.map(({ file }) => file)).size > 1
  return ({ file, row }) => (several && file ? `${row} of ${file}` : String(row))
}

function imageBlocks(
  failures: readonly Failure[],
  { num_views, cases, saliency }: FailureImages,
  rowOf: (failure: Failure) => string,
  regression: boolean,
): Block[] {
  if (num_views === 0) return [paragraph('The model does not read images.')]
  const shown = cases.flatMap((views, index) => {
    const failure = failures[index]
    return failure ? [{ failure, views }] : []
  })
  return [
    {
      kind: 'image_cases',
      caption: `Model input of ${shown.length === failures.length ? 'these cases' : `the first ${countOf(shown.length, 'case')}`}`,
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
        images: views.flatMap(({ view, png, saliency: map }) => {
          const description = `Case in row ${rowOf(failure)}${num_views > 1 ? `, view ${view}` : ''}`
          const saliencyMap = `${description}: saliency map`
          return [{ png, description }, ...(map ? [{ png: map, description: saliencyMap }] : [])]
        }),
      })),
    },
    ...(saliency
      ? [paragraph(shown.some(({ views }) => views.some((one) => one.saliency)) ? SALIENCY : NO_MAP)]
      : []),
    paragraph(
      'Images are shown as they were prepared for the model, at reduced size and without metadata. Burned-in text or a face can still identify a patient: check every image before you share this report.',
    ),
  ]
}

function confidence({ confidence: value }: Failure, regression: boolean): string {
  return regression ? formatMetric('', value) : formatUnit(value)
}
