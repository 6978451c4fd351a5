import type { EvaluationResult } from '@medloom/contracts'
import { barChart, inBars } from '../../charts/bars.js'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { DASH, formatCount, formatNumber } from '../../document/numbers.js'

type Disagreement = NonNullable<EvaluationResult['disagreement']>

const THIRDS = ['Least disagreement', 'Middle', 'Most disagreement']
const MEASURES = {
  mutual_information: 'mutual information',
  sd: 'standard deviation between members',
} as const
const ERRORS = { error_rate: 'Error rate', absolute_error: 'Mean absolute error' } as const

/** Disagreement of the members of an ensemble, and its relation to the errors. `prefix` starts the name of the file. */
export function disagreementBlocks(found: Disagreement, prefix: string): Block[] {
  const { members, mean_sd, mean_mutual_information, reason } = found
  const information =
    mean_mutual_information === null
      ? ''
      : ` The mutual information of prediction and member is the entropy of the mean probabilities less the mean entropy of the members, in nats (Houlsby et al. 2011, Depeweg et al. 2018); its mean is ${formatNumber(mean_mutual_information)}.`
  return [
    { kind: 'heading', text: 'Disagreement of the members' },
    paragraph(
      `${members} members predict each case, and how far they disagree is a measure of what the model does not know (Lakshminarayanan, Pritzel and Blundell 2017). The standard deviation between their predictions has a mean of ${formatNumber(mean_sd)}.${information} The table of predictions has ${mean_mutual_information === null ? 'it for each case (member_sd)' : 'both for each case (member_sd, mutual_information)'}. Members that agree can be wrong together: a case unlike all that they learned from need not divide them.`,
    ),
    ...(reason === null
      ? groupBlocks(found, prefix)
      : [paragraph(`Errors by disagreement are not shown: ${reason}.`)]),
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
  const title = `${name} by disagreement, with its 95 % interval`
  const description = `${name} in thirds of the cases by ${MEASURES[measure]}: ${inBars(bars)}.`
  return [
    paragraph(inWords(groups, name)),
    {
      kind: 'figures',
      figures: [
        {
          chart: barChart(bars, { name: `${prefix}disagreement`, title, description, axis: name }),
          table: table(
            `${name} in thirds of the cases by ${MEASURES[measure]}`,
            [
              'Third',
              numeric('From'),
              numeric('To'),
              numeric('Cases'),
              numeric('Patients'),
              numeric(name),
              numeric('95 % interval'),
            ],
            groups.map(({ low, high, cases, patients, error: of }, index): Cell[] => [
              THIRDS[index] ?? '',
              formatNumber(low),
              formatNumber(high),
              formatCount(cases),
              formatCount(patients),
              formatNumber(of.estimate),
              range(of),
            ]),
          ),
        },
      ],
    },
  ]
}

/** States whether disagreement predicts errors. Overlapping intervals do not prove that it does not. */
function inWords(groups: Disagreement['groups'], name: string): string {
  const [first, last] = [groups[0]?.error, groups.at(-1)?.error]
  if (!first || !last) return ''
  const values = `${name} ${formatNumber(first.estimate)} (${range(first)}) in the third of the cases on which the members agree most, ${formatNumber(last.estimate)} (${range(last)}) in the third on which they disagree most.`
  if (first.high !== null && last.low !== null && last.low > first.high)
    return `${values} Here disagreement says where the model errs more.`
  return `${values} These intervals overlap: on these cases it is not clear that disagreement says where the model errs.`
}

function range({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return low === null || high === null ? DASH : `${formatNumber(low)} to ${formatNumber(high)}`
}
