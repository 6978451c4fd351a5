import type { StudyReportFormat } from '@medloom/contracts'
import { toPng } from '../charts/raster.js'
import { renderComparison } from '../compose/comparison/comparison-report.js'
import { drawPlots, type PlotInput } from '../compose/plots.js'
import { chartFiles, renderReport } from '../compose/run-report.js'
import { composeStudyReport } from '../compose/study/study-report.js'
import { composeWorkflowReport } from '../compose/workflow/workflow-report.js'
import { writeHtml } from '../renderers/html/html.js'
import { writeMarkdown } from '../renderers/markdown/markdown.js'
import type { StudyReportInput, WorkflowReportInput } from '../report-input.js'

/** Everything that a thread renders: pure functions of plain data, the same bytes for the same input. */
export const RENDERINGS = {
  run: renderReport,
  comparison: renderComparison,
  plots: renderPlots,
  workflow: renderWorkflowReport,
  study: renderStudyReport,
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

/** The report of a study in one format, and its charts as files that the Markdown refers to. */
async function renderStudyReport({
  format,
  ...input
}: StudyReportInput & { readonly format: StudyReportFormat }): Promise<{
  readonly bytes: Uint8Array
  readonly charts: readonly { readonly file: string; readonly svg: string }[]
}> {
  const document = composeStudyReport(input)
  const text = (content: string) => new TextEncoder().encode(content)
  switch (format) {
    case 'html':
      return { bytes: text(writeHtml(document)), charts: [] }
    case 'markdown':
      return { bytes: text(writeMarkdown(document, 'charts/')), charts: chartFiles(document) }
    case 'pdf':
      return { bytes: await (await import('../renderers/pdf/pdf.js')).writePdf(document), charts: [] }
    case 'word':
      return { bytes: await (await import('../renderers/word/word.js')).writeWord(document), charts: [] }
  }
}
