import type { Notice, ReportDocument, Section } from '../../document/document.js'
import { countOf, formatCount, formatTime } from '../../document/numbers.js'
import { writeHtml } from '../../renderers/html/html.js'
import { writeMarkdown } from '../../renderers/markdown/markdown.js'
import type { ComparisonReportInput } from '../../report-input.js'
import { agreementSection } from '../../sections/comparison/agreement.js'
import { differenceSection } from '../../sections/comparison/differences.js'
import { comparedMetricsSection, rocOfModelsSection } from '../../sections/comparison/side-by-side.js'
import { REPEATED_EVALUATION } from '../../sections/overview.js'
import { sentence } from '../../sections/warnings.js'
import { comparisonOfTask } from '../task-metrics.js'
import { comparedModelsSection, comparisonWarningSection } from './origin.js'

export interface RenderedComparison {
  readonly html: string
  readonly markdown: string
  /** Files next to the report. */
  readonly charts: readonly { readonly file: string; readonly svg: string }[]
}

/** Plain data in, files as text out: the same input produces the same bytes. */
export function renderComparison(given: ComparisonReportInput): RenderedComparison {
  const document = composeComparison({ ...given, comparison: comparisonOfTask(given.comparison) })
  const charts = document.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === 'figures' ? block.figures : []))
    .map(({ chart }) => ({ file: `${chart.name}.svg`, svg: chart.standalone }))
  return { html: writeHtml(document), markdown: writeMarkdown(document, ''), charts }
}

function composeComparison(input: ComparisonReportInput): ReportDocument {
  const { comparison, compared_at } = input
  const { models, split, num_cases, num_patients } = comparison
  const names = models.map(({ name }) => name)
  const sections: (Section | null)[] = [
    comparisonWarningSection(comparison),
    differenceSection(comparison),
    agreementSection(comparison),
    comparedMetricsSection(comparison),
    rocOfModelsSection(comparison),
    comparedModelsSection(input),
  ]
  return {
    title: `${names.slice(0, -1).join(', ')} and ${names.at(-1)} on the ${split} split`,
    kicker: 'Comparison report',
    summary: [
      { term: 'Compared', value: formatTime(compared_at) },
      { term: 'Models', value: formatCount(models.length) },
      {
        term: `Cases, ${split} split`,
        value: formatCount(num_cases),
        ...(num_patients === null ? {} : { note: countOf(num_patients, 'patient') }),
      },
    ],
    notices: repeatedEvaluations(input),
    sections: sections.filter((section): section is Section => section !== null),
    footer: `Written by Medloom from comparison ${input.comparison_id}. Every number is read from its files; "–" marks a missing value. For research use only, not a medical device.`,
  }
}

function repeatedEvaluations({ models, comparison }: ComparisonReportInput): Notice[] {
  const repeated = models.flatMap(({ test_evaluations }, index) =>
    test_evaluations > 1
      ? [`${comparison.models[index]?.name ?? ''} (${formatCount(test_evaluations)} times)`]
      : [],
  )
  if (repeated.length === 0) return []
  return [
    {
      kind: 'notice',
      tone: 'warning',
      title: `These models were evaluated more than once on this split: ${repeated.join(', ')}.`,
      text: sentence(REPEATED_EVALUATION),
    },
  ]
}
