import { decisiveP, estimandOf, STUDY_ESTIMANDS, type StudyResults } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { chance } from '../models/compare.js'

export const addStudyResults: AddCommand = (parent) =>
  parent
    .add('results')
    .description('show the results of a study: all metrics, differences and methods')
    .argument('<study>', 'study id or name')
    .example('medloom study results latest', 'medloom study results latest --json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const study_id = await findStudy(client, word)
      print(options, await client.getStudyResults({ study_id }), resultsPage)
    })

/** Text output of the statistics of a study, the primary metric first. */
export function resultsPage({ metric, variants, comparisons, methods, software }: StudyResults): string {
  const names = new Set([metric, ...variants.flatMap(({ metrics }) => Object.keys(metrics))])
  const rows = [...names].flatMap((name) =>
    variants.flatMap((variant) => {
      const metric = variant.metrics[name]
      if (!metric) return []
      return [
        [
          name,
          variant.kind === 'baseline' ? `${variant.name} (baseline)` : variant.name,
          number(metric.estimate),
          range(metric),
          number(metric.mean),
          number(metric.sd),
        ],
      ]
    }),
  )
  return [
    formatTable(['metric', 'variant', 'pooled', '95% CI', 'mean', 'sd'], rows),
    ...STUDY_ESTIMANDS.flatMap((estimand) => differenceLines(comparisons, estimand)),
    '',
    ...methods.statements,
    '',
    `versions: ${Object.entries(software)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
  ].join('\n')
}

const ESTIMANDS = { fold_mean: 'mean over the folds', pooled: 'pooled estimates' } as const

/**
 * Means over the folds and pooled estimates are different quantities, so they are never in one table.
 * Only the primary metric has a p value.
 */
function differenceLines(
  comparisons: StudyResults['comparisons'],
  estimand: keyof typeof ESTIMANDS,
): string[] {
  const rows = comparisons
    .filter((comparison) => estimandOf(comparison) === estimand)
    .map((comparison) => [
      comparison.metric,
      `${comparison.a} − ${comparison.b}`,
      number(comparison.difference.estimate),
      range(comparison.difference),
      chance(decisiveP(comparison)),
      comparison.note ?? comparison.test ?? UNKNOWN,
    ])
  if (rows.length === 0) return []
  const head = ['metric', 'difference', 'estimate', '95% CI', 'p (Holm)', 'method']
  return ['', `Differences, ${ESTIMANDS[estimand]}`, formatTable(head, rows)]
}

function range({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return low === null || high === null ? UNKNOWN : `${number(low)} to ${number(high)}`
}
