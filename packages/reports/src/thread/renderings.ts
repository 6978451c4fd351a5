import { toPng } from '../charts/raster.js'
import { drawPlots, type PlotInput } from '../compose/plots.js'
import { renderReport } from '../compose/run-report.js'
import { composeWorkflowReport } from '../compose/workflow/workflow-report.js'
import { writeHtml } from '../renderers/html/html.js'
import type { WorkflowReportInput } from '../report-input.js'

/** Everything that a thread renders: pure functions of plain data, the same bytes for the same input. */
export const RENDERINGS = {
  run: renderReport,
  plots: renderPlots,
  workflow: renderWorkflowReport,
}
export type Renderings = typeof RENDERINGS
export type Rendering = keyof Renderings

/** By name, for a message that crossed threads: the types of the table are those of the sender. */
export async function render(name: Rendering, input: unknown): Promise<unknown> {
  return (RENDERINGS[name] as (given: unknown) => unknown)(input)
}

/** Each plot as SVG, and as PNG for slides. */
function renderPlots(input: PlotInput) {
  const { plots, notDrawn } = drawPlots(input)
  return { plots: plots.map((plot) => ({ ...plot, png: toPng(plot.svg) })), notDrawn }
}

/** The large libraries are loaded only for the format that needs them. */
async function renderWorkflowReport(input: WorkflowReportInput): Promise<{ readonly bytes: Uint8Array }> {
  const document = composeWorkflowReport(input)
  switch (input.format) {
    case 'HTML':
      return { bytes: new TextEncoder().encode(writeHtml(document)) }
    case 'PDF':
      return { bytes: await (await import('../renderers/pdf/pdf.js')).writePdf(document) }
    case 'Word':
      return { bytes: await (await import('../renderers/word/word.js')).writeWord(document) }
  }
}
