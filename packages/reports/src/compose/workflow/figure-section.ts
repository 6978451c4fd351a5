import { readChart } from '../../charts/read-chart.js'
import { type Block, type Figure, paragraph, type Section } from '../../document/document.js'
import type { WorkflowReportInput } from '../../report-input.js'

/** Charts, and why others are missing. */
export function figureSection({ plots, notDrawn }: WorkflowReportInput, figures: readonly Figure[]): Section {
  const foreign = plots.filter(({ title, svg }) => readChart(svg, title) === null)
  const missing = [
    ...notDrawn.map(({ title, reason }) => `${title}: ${reason}.`),
    ...foreign.map(({ title }) => `${title}: the file is not a chart that this software drew.`),
  ]
  const blocks: Block[] = figures.length > 0 ? [{ kind: 'figures', figures }] : []
  if (missing.length > 0) blocks.push(paragraph('Not drawn:'), { kind: 'list', items: missing })
  if (blocks.length === 0) blocks.push(paragraph('No plot is connected.'))
  return { id: 'figures', title: 'Figures', blocks }
}

export function plotFigures({ plots }: WorkflowReportInput): Figure[] {
  return plots.flatMap(({ title, svg }) => {
    const chart = readChart(svg, title)
    return chart ? [{ chart, table: null }] : []
  })
}
