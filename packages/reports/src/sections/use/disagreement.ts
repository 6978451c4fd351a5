import type { EvaluationResult } from '@medloom/contracts'
import { barChart, inBars } from '../../charts/bars.js'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { countOf, DASH, formatCount, formatNumber } from '../../document/numbers.js'

type Disagreement = NonNullable<EvaluationResult['disagreement']>

const THIRDS = ['Lowest disagreement', 'Medium', 'Highest disagreement']
const MEASURES = {
  mutual_information: 'mutual information',
  sd: 'standard deviation across members',
} as const
const ERRORS = { error_rate: 'Error rate', absolute_error: 'Mean absolute error' } as const

/** Disagreement between the members of an ensemble, and its relation to the errors. `prefix` starts the name of the chart file. */
export function disagreementBlocks(found: Disagreement, prefix: string): Block[] {
  const { members, mean_sd, mean_mutual_information, reason } = found
  const information =
    mean_mutual_information === null
      ? ''
      : ` The mean mutual information of prediction and member is ${formatNumber(mean_mutual_information)} nats: the entropy of the mean probabilities minus the mean entropy of the members (Houlsby et al. 2011, Depeweg et al. 2018).`
  return [
    { kind: 'heading', text: 'Disagreement of the members' },
    paragraph(
      `${countOf(members, 'member')} predict each case; their disagreement is a measure of uncertainty (Lakshminarayanan, Pritzel and Blundell 2017). The mean standard deviation of their predictions is ${formatNumber(mean_sd)}.${information} The predictions file contains ${mean_mutual_information === null ? 'the standard deviation of each case (member_sd)' : 'both values of each case (member_sd, mutual_information)'}. Members that agree can all be wrong, in particular on cases that are unlike their training cases.`,
    ),
    ...(reason === null
      ? groupBlocks(found, prefix)
      : [paragraph(`Errors by disagreement are not available: ${reason}.`)]),
  ]
}

function groupBlocks({ groups, measure, error }: Disagreement, prefix: string): Block[] {
  const name = ERRORS[error ?? 'error_rate']
  const bars = groups.map(({ error: { estimate, low, high } }, index) => ({
    label: THIRDS[index] ?? '',
    value: estimate ?? 0,
    low,
    high,
  }))
  const title = `${name} by disagreement (95% CI)`
  const description = `${name} by thirds of ${MEASURES[measure]}: ${inBars(bars)}.`
  return [
    paragraph(inWords(groups, name)),
    {
      kind: 'figures',
      figures: [
        {
          chart: barChart(bars, { name: `${prefix}disagreement`, title, description, axis: name }),
          table: table(
            `${name} by thirds of ${MEASURES[measure]}`,
            [
              'Third',
              numeric('From'),
              numeric('To'),
              numeric('Cases'),
              numeric('Patients'),
              numeric(name),
              numeric('95% CI'),
            ],
            groups.map(({ low, high, cases, patients, error }, index): Cell[] => [
              THIRDS[index] ?? '',
              formatNumber(low),
              formatNumber(high),
              formatCount(cases),
              formatCount(patients),
              formatNumber(error.estimate),
              range(error),
            ]),
          ),
        },
      ],
    },
  ]
}

/** States whether disagreement predicts errors. Overlapping intervals do not show that it does not. */
function inWords(groups: Disagreement['groups'], name: string): string {
  const [first, last] = [groups[0]?.error, groups.at(-1)?.error]
  if (!first || !last) return ''
  const values = `${name} ${formatNumber(first.estimate)} (${range(first)}) in the third of the cases with the lowest disagreement, ${formatNumber(last.estimate)} (${range(last)}) in the third with the highest.`
  if (first.high !== null && last.low !== null && last.low > first.high)
    return `${values} On these cases, errors are more frequent or larger where members disagree.`
  return `${values} The intervals overlap: on these cases it is not clear whether disagreement predicts errors.`
}

function range({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return low === null || high === null ? DASH : `${formatNumber(low)} to ${formatNumber(high)}`
}
