import {
  type ComparisonResult,
  type ModelDifference,
  type ModelPair,
  PRIMARY_METRIC,
} from '@medloom/contracts'
import {
  type Block,
  type Cell,
  numeric,
  paragraph,
  type Section,
  type Table,
  table,
} from '../../document/document.js'
import { differenceInterval, formatDifference, isBounded, metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatUnit } from '../../document/numbers.js'

/** Differences in every metric, pair by pair, with intervals and the test of the primary metric. */
export function differenceSection({ pairs, models, num_cases, task }: ComparisonResult): Section {
  const several = pairs.length > 1
  const blocks: Block[] = [
    paragraph(
      `All models were evaluated on the same ${countOf(num_cases, 'case')}, so the comparisons are paired. The intervals apply to these trained models: they do not include the variation between repeated trainings.${
        models.length > 2 ? ' With several pairs, p values are adjusted for multiple comparisons (Holm).' : ''
      }`,
    ),
    ...pairs.map((pair) => pairTable(pair, several, PRIMARY_METRIC[task])),
    paragraph(
      `Only ${metricName(PRIMARY_METRIC[task]).label}, the primary metric of the task, is tested. The other metrics are secondary: they have estimates with intervals, and among many metrics some intervals exclude 0 by chance.`,
    ),
  ]
  return { id: 'differences', title: 'Differences', blocks }
}

function pairTable({ first, second, differences }: ModelPair, several: boolean, primary: string): Table {
  const reach = reachOf(differences)
  const rows = Object.entries(differences).map(([key, difference]): Cell[] => [
    metricName(key).label,
    formatDifference(key, difference.estimate),
    differenceInterval(key, difference),
    forestCell(key, difference, reach),
    key === primary ? pText(difference.p) : DASH,
    ...(several ? [key === primary ? pText(difference.p_holm) : DASH] : []),
    difference.reason ?? (key === primary ? methodText(difference) : difference.method),
  ])
  return table(
    `${first} minus ${second}`,
    [
      'Metric',
      numeric('Difference'),
      numeric('95% CI'),
      'Plot',
      numeric('p'),
      ...(several ? [numeric('p (Holm)')] : []),
      'Method, or reason for a missing value',
    ],
    rows,
    [
      `Plots range from −${formatUnit(reach)} to ${formatUnit(reach)}; the dashed line marks no difference. Metrics without a bounded scale are not plotted.`,
      `A positive difference means that ${first} has the larger value, which is better except for errors and losses.`,
    ],
  )
}

/** Half-width of a symmetric scale that contains every plotted interval. */
function reachOf(differences: ModelPair['differences']): number {
  const ends = Object.entries(differences)
    .filter(([key]) => isBounded(key))
    .flatMap(([, { estimate, low, high }]) => [estimate, low, high])
    .map((value) => Math.abs(value ?? 0))
  return Math.max(0.01, ...ends)
}

function forestCell(key: string, { estimate, low, high, reason }: ModelDifference, reach: number): Cell {
  if (!isBounded(key) || estimate === null) return { text: '', forest: null }
  const text = `${metricName(key).label} ${formatDifference(key, estimate)}${reason === null ? '' : `, ${reason}`}`
  return { text, forest: { estimate, low, high, min: -reach, max: reach } }
}

export function pText(p: number | null): string {
  if (p === null) return DASH
  return p < 0.001 ? '<0.001' : p.toFixed(3)
}

function methodText({ method, test }: ModelDifference): string {
  return method === test ? method : `${method}; p: ${test}`
}
