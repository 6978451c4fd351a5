import type { EvaluationResult, Importance } from '@medloom/contracts'
import { importanceChart } from '../../charts/importance.js'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../../document/document.js'
import { formatChange, metricName } from '../../document/metric-names.js'
import { DASH, formatCount, formatNumber } from '../../document/numbers.js'

/** Further inputs appear only in the table. */
const DRAWN = 20

/** Importance of the inputs; null if it was not requested. `prefix` starts the names of chart files. */
export function importanceSection(result: EvaluationResult, prefix: string): Section | null {
  const { importance } = result
  if (!importance) return null
  const blocks: Block[] =
    importance.reason !== null || importance.metric === null
      ? [paragraph(`It was not measured: ${importance.reason ?? DASH}.`)]
      : [...inputBlocks(importance, result, prefix), ...ablationBlocks(importance, result)]
  return { id: 'importance', title: 'What the predictions rest on', blocks }
}

function inputBlocks(importance: Importance, { num_cases }: EvaluationResult, prefix: string): Block[] {
  const { inputs, repeats } = importance
  if (inputs.length === 0) return []
  const key = importance.metric ?? 'auc'
  const metric = metricName(key).label
  const worse = importance.metric === 'mae' ? `Increase of the ${metric}` : `Drop of the ${metric}`
  const part =
    importance.num_cases < num_cases
      ? ` Measured on ${formatCount(importance.num_cases)} of the ${formatCount(num_cases)} cases, those of patients drawn at random.`
      : ''
  return [
    paragraph(
      `${worse} when the values of one input are exchanged between patients, ${repeats} times, while everything else stays as it is.${part} It says what this model uses, not what causes the outcome. Where columns say the same, the model may read any of them: exchanging one alone then hides how much they matter together.`,
    ),
    {
      kind: 'figures',
      figures: [
        {
          chart: importanceChart(inputs.slice(0, DRAWN), worse, `${prefix}importance`),
          table: table(
            `${worse}, the largest first`,
            ['Input', numeric('Mean'), numeric('95 % interval')],
            inputs.map(({ name, drop, low, high }): Cell[] => [
              name,
              formatChange(key, drop),
              `${formatChange(key, low)} to ${formatChange(key, high)}`,
            ]),
            [
              'An interval around 0: on these cases the input makes no difference that could be told from chance.',
            ],
          ),
        },
      ],
    },
  ]
}

function ablationBlocks(importance: Importance, { classes }: EvaluationResult): Block[] {
  const { ablation, predictions } = importance
  if (ablation.length === 0) return []
  const key = importance.metric ?? 'auc'
  const metric = metricName(key).label
  const worse = importance.metric === 'mae' ? `Increase of the ${metric}` : `Drop of the ${metric}`
  return [
    table(
      'Without images, and without the table',
      [
        'Left out',
        numeric(worse),
        numeric('95 % interval'),
        numeric(classes ? 'Probability that moves, mean' : 'Change of the prediction, mean'),
        ...(classes ? [numeric('Cases that change class')] : []),
      ],
      ablation.map(({ without, drop, low, high, mean_change, changed }): Cell[] => [
        without === 'images' ? 'Images' : 'Table',
        formatChange(key, drop),
        `${formatChange(key, low)} to ${formatChange(key, high)}`,
        formatNumber(mean_change),
        ...(classes ? [changed === null ? DASH : `${(100 * changed).toFixed(1)} %`] : []),
      ]),
      [
        'What is left out reads as missing. A model that never missed it in training then reads its average, which is not a case that it learned from: compare with models of the image alone and of the table alone before you drop either.',
        ...(predictions ? [`Every case: ${predictions}, beside the result.`] : []),
      ],
    ),
  ]
}
