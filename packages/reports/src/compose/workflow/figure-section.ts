import { readChart } from '../../charts/read-chart.js'
import { type Block, type Figure, paragraph, type Section } from '../../document/document.js'
import type { WorkflowReportInput } from '../../report-input.js'
import { agreementFigures } from '../../sections/figures/performance-figures.js'

/** Charts, and the reasons for missing ones. */
export function figureSection({ plots, notDrawn }: WorkflowReportInput, figures: readonly Figure[]): Section {
  const foreign = plots.filter(({ title, svg }) => readChart(svg, title) === null)
  const missing = [
    ...notDrawn.map(({ title, reason }) => `${title}: ${reason}.`),
    ...foreign.map(({ title }) => `${title}: the file is not a chart of this software.`),
  ]
  const blocks: Block[] = figures.length > 0 ? [{ kind: 'figures', figures }] : []
  if (missing.length > 0) blocks.push(paragraph('Missing plots:'), { kind: 'list', items: missing })
  if (blocks.length === 0) blocks.push(paragraph('No plot is connected.'))
  return { id: 'figures', title: 'Figures', blocks }
}

/** Connected plots, and the agreement of the predictions with the truth: each chart once, with its numbers if they are known. */
export function reportFigures({ plots, evaluation }: WorkflowReportInput): {
  readonly connected: readonly Figure[]
  readonly agreement: readonly Figure[]
} {
  const agreement = agreementFigures(evaluation, '')
  const known = new Set(agreement.map(({ chart }) => chart.name))
  const connected = plots.flatMap(({ title, svg }) => {
    const chart = readChart(svg, title)
    return chart && !known.has(chart.name) ? [{ chart, table: null }] : []
  })
  return { connected, agreement }
}
