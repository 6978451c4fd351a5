import { decisiveP, estimandOf, estimandOfTest, type StudyResults } from '@medloom/contracts'
import { studyChart } from '../../charts/study-points.js'
import {
  type Block,
  type Cell,
  numeric,
  paragraph,
  type Section,
  type Table,
  table,
} from '../../document/document.js'
import {
  differenceInterval,
  formatDifference,
  formatMetric,
  metricName,
} from '../../document/metric-names.js'
import { DASH, formatCount } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'
import { formatP, intervalOf, MEASURED_ON, TEST_NAMES, verdict } from './study-text.js'

type Variant = StudyResults['variants'][number]

/** Results of the variants: the primary metric first, as a chart and a table, followed by the other metrics. */
export function outcomeSection(input: StudyReportInput): Section {
  const { results, measuredOn } = input
  const others = [...measuredMetrics(results)].filter((metric) => metric !== results.metric)
  const chart = studyChart(
    results.variants.map((variant) => pointsOf(variant, results)),
    metricName(results.metric).label,
    results.reference,
    'study-variants',
  )
  const blocks: Block[] = [
    paragraph(
      `Measured on ${MEASURED_ON[measuredOn]}. Pooled estimates are computed on the predictions of all folds together; means and SDs are over single trainings and are a different quantity.`,
    ),
    primaryTable(results),
    { kind: 'figures', figures: [{ chart, table: null }] },
    paragraph(chart.description),
    ...(others.length > 0 ? [otherTable(results, others)] : []),
    trainingsTable(results),
    ...noteBlocks(results),
  ]
  return { id: 'results', title: 'Results', blocks }
}

/** Notes on missing or uncertain results, each with the variants to which it applies. */
function noteBlocks({ variants }: StudyResults): Block[] {
  const variantsOf = new Map<string, string[]>()
  for (const { name, notes } of variants)
    for (const note of notes) variantsOf.set(note, [...(variantsOf.get(note) ?? []), name])
  const items = [...variantsOf].map(([note, names]) => `${names.join(', ')}: ${note}.`)
  return items.length > 0 ? [{ kind: 'list', items }] : []
}

/** Metrics that at least one variant has: a task does not have all of them, such as the accuracy of survival data. */
function measuredMetrics({ variants }: StudyResults): ReadonlySet<string> {
  return new Set(
    variants.flatMap(({ metrics }) =>
      Object.entries(metrics).flatMap(([metric, { mean, estimate }]) =>
        mean === null && estimate === null ? [] : [metric],
      ),
    ),
  )
}

function primaryTable({ variants, metric }: StudyResults): Table {
  const reasons = new Set(variants.flatMap(({ metrics }) => metrics[metric]?.note ?? []))
  const methods = new Set(variants.flatMap(({ metrics }) => metrics[metric]?.method ?? []))
  return table(
    `${metricName(metric).label} of each variant: pooled estimate`,
    ['Variant', numeric('Cases'), numeric('Pooled estimate'), numeric('95% CI')],
    variants.map((variant): Cell[] => {
      const figure = variant.metrics[metric]
      return [
        nameCell(variant),
        formatCount(variant.num_cases),
        formatMetric(metric, figure?.estimate),
        intervalOf(metric, figure?.low ?? null, figure?.high ?? null),
      ]
    }),
    [
      ...[...methods].map((method) => `CI: ${method}.`),
      ...[...reasons].map((reason) => `${DASH}: ${reason}.`),
    ],
  )
}

function trainingsTable({ variants, metric }: StudyResults): Table {
  return table(
    `${metricName(metric).label} of single trainings: mean and standard deviation`,
    ['Variant', numeric('Trainings'), numeric('Mean'), numeric('SD')],
    variants.map((variant): Cell[] => {
      const figure = variant.metrics[metric]
      return [
        nameCell(variant),
        formatCount(figure?.trainings ?? 0),
        formatMetric(metric, figure?.mean),
        formatMetric(metric, figure?.sd),
      ]
    }),
  )
}

const nameCell = ({ name, kind, title }: Variant): Cell =>
  kind === 'baseline' ? { text: title, below: 'baseline' } : name

function otherTable({ variants }: StudyResults, metrics: readonly string[]): Table {
  return table(
    'Other metrics: pooled estimate (95% CI)',
    ['Variant', ...metrics.map((metric) => numeric(metricName(metric).label))],
    variants.map(({ name, kind, title, metrics: variantMetrics }): Cell[] => [
      kind === 'baseline' ? title : name,
      ...metrics.map((metric): Cell => {
        const figure = variantMetrics[metric]
        const bounds = intervalOf(metric, figure?.low ?? null, figure?.high ?? null)
        const estimate = formatMetric(metric, figure?.estimate)
        return bounds === DASH ? estimate : { text: estimate, below: bounds }
      }),
    ]),
  )
}

function pointsOf({ name, kind, title, metrics }: Variant, { trainings, metric }: StudyResults) {
  const { estimate = null, low = null, high = null } = metrics[metric] ?? {}
  const own = trainings.filter(({ variant }) => variant === name)
  const values = own.flatMap((training) => training.metrics[metric] ?? [])
  return { name: kind === 'baseline' ? title : name, trainings: values, estimate, low, high }
}

/** Differences between variants, with a verdict in words. */
export function comparisonSection({ results }: StudyReportInput): Section | null {
  const { comparisons, metric, methods } = results
  if (comparisons.length === 0) return null
  const primary = comparisons.filter((comparison) => comparison.metric === metric)
  const measured = measuredMetrics(results)
  const others = comparisons.filter(({ metric: compared }) => compared !== metric && measured.has(compared))
  const blocks: Block[] = []
  if (primary.length > 0)
    blocks.push(
      { kind: 'list', items: primary.map((comparison) => sentenceOf(comparison, methods.level)) },
      comparisonTable(
        `Differences in ${metricName(metric).label}: ${quantityOf(primary)}`,
        primary,
        methods.level,
        primary.some(({ correction }) => correction !== null)
          ? [
              'p values are corrected for multiple comparisons; the intervals are not. The results follow the corrected p values.',
            ]
          : [],
      ),
    )
  for (const quantity of ['fold_mean', 'pooled'] as const) {
    const some = others.filter((one) => estimandOf(one) === quantity)
    if (some.length === 0) continue
    blocks.push(
      comparisonTable(`Differences in other metrics: ${QUANTITIES[quantity]}`, some, null, [
        `Secondary metrics are estimated with intervals, but not tested: only ${metricName(metric).label} is tested. Among many metrics, some intervals exclude 0 by chance.`,
      ]),
    )
  }
  blocks.push(...pooledBlocks(comparisons, metric, measured))
  const notes = [
    ...new Set(
      [...primary, ...others].flatMap(({ metric: compared, note }) =>
        note === null ? [] : [`${metricName(compared).label}: ${note}.`],
      ),
    ),
  ]
  if (notes.length > 0) blocks.push({ kind: 'list', items: notes })
  return { id: 'comparisons', title: 'Comparisons', blocks }
}

const QUANTITIES = { fold_mean: 'mean over the folds', pooled: 'pooled estimates' } as const

/** All comparisons of a metric estimate the same quantity. */
function quantityOf([first]: StudyResults['comparisons']): string {
  return first ? QUANTITIES[estimandOf(first)] : ''
}

/** Tests of pooled estimates that are not in a table above: in addition to means over the folds, or several tests of one difference. */
function pooledBlocks(
  comparisons: StudyResults['comparisons'],
  metric: string,
  measured: ReadonlySet<string>,
): Block[] {
  const besideFolds = comparisons.filter((one) => measured.has(one.metric) && estimandOf(one) === 'fold_mean')
  const several = comparisons.filter(
    (one) => one.metric === metric && estimandOf(one) === 'pooled' && one.tests.length > 1,
  )
  const rows = [...besideFolds, ...several]
    .toSorted((one, other) => Number(other.metric === metric) - Number(one.metric === metric))
    .flatMap(pooledTests)
  if (rows.length === 0) return []
  return [
    table(
      besideFolds.length > 0
        ? 'Differences of pooled estimates'
        : `All tests of the difference in ${metricName(metric).label}`,
      [
        ...['Comparison', 'Metric', numeric('First'), numeric('Second')],
        ...[numeric('Difference'), numeric('95% CI'), 'CI method', 'Note'],
      ],
      rows.map(({ a, b, metric, values, estimate, low, high, test, note }): Cell[] => [
        `${a} − ${b}`,
        metricName(metric).label,
        ...[formatMetric(metric, values?.a), formatMetric(metric, values?.b)],
        formatDifference(metric, estimate),
        differenceInterval(metric, { low, high }),
        TEST_NAMES[test] ?? test,
        note ?? DASH,
      ]),
      besideFolds.length > 0 ? POOLED_NOTES : [],
    ),
  ]
}

const POOLED_NOTES = [
  'These are differences between the pooled estimates under Results. They are a different quantity than means over the folds and may differ from them in size and in sign.',
  'These intervals include the sampling of the test cases, but not of the training cases. They are too narrow to decide between training methods.',
]

const pooledTests = ({ a, b, metric, tests }: StudyResults['comparisons'][number]) =>
  tests.filter((test) => estimandOfTest(test) === 'pooled').map((test) => ({ ...test, a, b, metric }))

/** A comparison as a sentence: the verdict, and the numbers on which it is based. */
export function sentenceOf(comparison: StudyResults['comparisons'][number], level: number): string {
  const { a, b, metric, difference, correction } = comparison
  const what = verdict(comparison, level)
  const p = decisiveP(comparison)
  const label = metricName(metric).label
  if (p === null) return `${a} and ${b}, ${label}: ${what}.`
  const quantity = estimandOf(comparison) === 'fold_mean' ? `${label} (mean over the folds)` : label
  const numbers = `difference in ${quantity} ${formatDifference(metric, difference.estimate)} (95% CI ${differenceInterval(metric, difference)}), p ${formatP(p)}${correction === null ? '' : `, corrected (${correction === 'holm' ? 'Holm' : correction})`}`
  return what === 'not significant'
    ? `The difference between ${a} and ${b} is not significant: ${numbers}, ${a} minus ${b}.`
    : `${what === 'significantly different' ? `${a} and ${b} are significantly different` : what}: ${numbers}, ${a} minus ${b}.`
}

/** @param level confidence level of the verdicts; null for secondary metrics, which have neither a verdict nor a p value */
function comparisonTable(
  caption: string,
  comparisons: StudyResults['comparisons'],
  level: number | null,
  notes: readonly string[] = [],
): Table {
  return table(
    caption,
    [
      ...['Comparison', 'Metric', numeric('First'), numeric('Second')],
      ...[numeric('Difference'), numeric('95% CI')],
      ...(level === null ? [] : [numeric('p'), numeric('p (corrected)'), 'Result']),
    ],
    comparisons.map((comparison): Cell[] => {
      const { a, b, metric, values, difference, p, p_corrected } = comparison
      return [
        `${a} − ${b}`,
        metricName(metric).label,
        ...[formatMetric(metric, values?.a), formatMetric(metric, values?.b)],
        formatDifference(metric, difference.estimate),
        differenceInterval(metric, difference),
        ...(level === null ? [] : [formatP(p), formatP(p_corrected), verdict(comparison, level)]),
      ]
    }),
    [
      ...[...new Set(comparisons.flatMap(({ test }) => test ?? []))].map(
        (test) => `${level === null ? 'CI' : 'CI and p'}: ${TEST_NAMES[test] ?? test}.`,
      ),
      'Differences are the first minus the second, on the cases of both.',
      ...notes,
    ],
  )
}

/** Variance between single trainings: seed, fold and residual. */
export function varianceSection({ results }: StudyReportInput): Section | null {
  const rows = results.variants.filter(({ variance }) => variance.seed || variance.fold || variance.rest)
  if (rows.length === 0) return null
  const share = (part: Variant['variance']['seed']): Cell =>
    part === null
      ? DASH
      : {
          text: formatMetric(results.metric, part.sd),
          below: part.share === null ? '' : `${Math.round(100 * part.share)}% of the variance`,
        }
  const notes = [...new Set(results.variants.flatMap(({ variance }) => variance.note ?? []))]
  return {
    id: 'variance',
    title: 'Sources of variance between trainings',
    blocks: [
      table(
        `Standard deviation of ${metricName(results.metric).label} by source`,
        ['Variant', numeric('Trainings'), numeric('Seed'), numeric('Fold'), numeric('Residual')],
        rows.map(({ name, kind, title, variance }): Cell[] => [
          kind === 'baseline' ? title : name,
          formatCount(variance.trainings),
          share(variance.seed),
          share(variance.fold),
          share(variance.rest),
        ]),
        [
          'Random-effects decomposition of the single trainings; "–" marks a source that the design cannot separate from the others.',
          ...notes,
        ],
      ),
    ],
  }
}
