import type { EvaluationResult, FailureImages } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../document/document.js'
import { formatMetric } from '../document/metric-names.js'
import { formatUnit } from '../document/numbers.js'

type Failure = EvaluationResult['failures'][number]

/**
 * The most confident misclassifications, or the largest errors, by row of the table: no patient data is printed.
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
          ? 'No case had the event.'
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
        ? 'The events that the model expected least, by row number of the evaluated table. Review these cases first.'
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
  'The grey image beside a case shows where the network looked (Grad-CAM, Selvaraju et al. 2017): yellow regions raised the score of what it predicted most, dark blue ones did not; of several views the one that raised it most. The map is as coarse as the last feature map. It does not show why, nor that these regions matter medically, nor what would happen without them; a plausible map is no sign that the prediction is right. Where no map stands, no region raised the score.'

const NO_MAP =
  'Where the network looked (Grad-CAM) can be shown for none of these cases: no region of its last feature map raised the score.'

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
        images: views.flatMap(({ view, png, saliency: map }) => {
          const description = `Case in row ${rowOf(failure)}${num_views > 1 ? `, view ${view}` : ''}`
          const looked = `${description}: where the network looked`
          return [{ png, description }, ...(map ? [{ png: map, description: looked }] : [])]
        }),
      })),
    },
    ...(saliency
      ? [paragraph(shown.some(({ views }) => views.some((one) => one.saliency)) ? SALIENCY : NO_MAP)]
      : []),
    paragraph(
      'Each image is shown as it was prepared for the model, reduced, and without names or identifiers. Text that is burned into an image, or a face, can still identify a patient: look at every image before you pass this report on.',
    ),
  ]
}

function confidence({ confidence: value }: Failure, regression: boolean): string {
  return regression ? formatMetric('', value) : formatUnit(value)
}
