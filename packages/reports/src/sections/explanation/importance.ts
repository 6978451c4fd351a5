import type { EvaluationResult, Importance } from '@medloom/contracts'
import { importanceChart } from '../../charts/importance.js'
import { type Block, type Cell, numeric, paragraph, type Section, table } from '../../document/document.js'
import { formatChange, metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatCount, formatNumber } from '../../document/numbers.js'

/** Further inputs appear only in the table. */
const DRAWN = 20

/** Importance of the inputs; null if it was not requested. `prefix` starts the names of chart files. */
export function importanceSection(result: EvaluationResult, prefix: string): Section | null {
  const { importance } = result
  if (!importance) return null
  const blocks: Block[] =
    importance.reason !== null || importance.metric === null
      ? [paragraph(`Not measured: ${importance.reason ?? DASH}.`)]
      : [...inputBlocks(importance, result, prefix), ...ablationBlocks(importance, result)]
  return { id: 'importance', title: 'Input importance', blocks }
}

function inputBlocks(importance: Importance, { num_cases }: EvaluationResult, prefix: string): Block[] {
  const { inputs, repeats } = importance
  if (inputs.length === 0) return []
  const key = importance.metric ?? 'auc'
  const metric = metricName(key).label
  const worse = importance.metric === 'mae' ? `Increase in ${metric}` : `Decrease in ${metric}`
  const part =
    importance.num_cases < num_cases
      ? ` Measured on ${formatCount(importance.num_cases)} of ${countOf(num_cases, 'case')} (a random sample of patients).`
      : ''
  return [
    paragraph(
      `${worse} when one input is permuted between patients (${countOf(repeats, 'repeat')}); all other inputs are unchanged.${part} It shows what this model uses, not what causes the outcome. If columns are correlated, permuting only one of them underestimates their joint importance.`,
    ),
    {
      kind: 'figures',
      figures: [
        {
          chart: importanceChart(inputs.slice(0, DRAWN), worse, `${prefix}importance`),
          table: table(
            `${worse}, largest first`,
            ['Input', numeric('Mean'), numeric('95% CI')],
            inputs.map(({ name, drop, low, high }): Cell[] => [
              name,
              formatChange(key, drop),
              `${formatChange(key, low)} to ${formatChange(key, high)}`,
            ]),
            ['An interval that includes 0 means that the effect is not significant.'],
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
  const worse = importance.metric === 'mae' ? `Increase in ${metric}` : `Decrease in ${metric}`
  return [
    table(
      'Without images, and without the table',
      [
        'Removed',
        numeric(worse),
        numeric('95% CI'),
        numeric(classes ? 'Mean change of the probability' : 'Mean change of the prediction'),
        ...(classes ? [numeric('Cases with another predicted class')] : []),
      ],
      ablation.map(({ without, drop, low, high, mean_change, changed }): Cell[] => [
        without === 'images' ? 'Images' : 'Table',
        formatChange(key, drop),
        `${formatChange(key, low)} to ${formatChange(key, high)}`,
        formatNumber(mean_change),
        ...(classes ? [changed === null ? DASH : `${(100 * changed).toFixed(1)}%`] : []),
      ]),
      [
        'Removed inputs are read as missing. A model that was never trained with missing inputs reads their average instead. Before you drop the images or the table, compare with models that were trained on only one of them.',
        ...(predictions ? [`Predictions of every case: ${predictions}, in the folder of the result.`] : []),
      ],
    ),
  ]
}
