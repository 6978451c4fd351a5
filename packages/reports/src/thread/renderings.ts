import type { CardFormat, ReportFormat } from '@medloom/contracts'
import { toPng } from '../charts/raster.js'
import { writeChaiCard } from '../compose/card/chai.js'
import { writeHuggingFaceCard } from '../compose/card/hugging-face.js'
import { composeModelCard } from '../compose/card/model-card.js'
import { renderComparison } from '../compose/comparison/comparison-report.js'
import { drawPlots, type PlotInput } from '../compose/plots.js'
import { chartFiles, chartFolder, composeReport, renderReport } from '../compose/run-report.js'
import { composeStudyReport } from '../compose/study/study-report.js'
import { composeWorkflowReport } from '../compose/workflow/workflow-report.js'
import type { ReportDocument } from '../document/document.js'
import { writeHtml } from '../renderers/html/html.js'
import { writeMarkdown } from '../renderers/markdown/markdown.js'
import type { ReportInput, StudyReportInput, WorkflowReportInput } from '../report-input.js'

/** Everything that a thread renders: pure functions of plain data that produce the same bytes for the same input. */
export const RENDERINGS = {
  run: renderReport,
  runInFormat: renderRunInFormat,
  comparison: renderComparison,
  plots: renderPlots,
  workflow: renderWorkflowReport,
  study: renderStudyReport,
  modelCard: renderModelCard,
}
export type Renderings = typeof RENDERINGS
export type Rendering = keyof Renderings

/** Rendering by name, for messages between threads: the sender has checked the types. */
export async function render(name: Rendering, input: unknown): Promise<unknown> {
  return (RENDERINGS[name] as (given: unknown) => unknown)(input)
}

/** Each plot as SVG, and as PNG for slides. */
function renderPlots(input: PlotInput) {
  const { plots, notDrawn } = drawPlots(input)
  return { plots: plots.map((plot) => ({ ...plot, png: toPng(plot.svg) })), notDrawn }
}

/** Large libraries are loaded only for the format that needs them. */
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

interface WrittenReport {
  readonly bytes: Uint8Array
  /** Files to which the Markdown refers. */
  readonly charts: readonly { readonly file: string; readonly svg: string }[]
}

/** The report of a run or an evaluation in one format. */
function renderRunInFormat({ format, ...input }: ReportInput & { readonly format: ReportFormat }) {
  return write(composeReport(input), format, chartFolder(input))
}

/** The report of a study in one format. */
function renderStudyReport({ format, ...input }: StudyReportInput & { readonly format: ReportFormat }) {
  return write(composeStudyReport(input), format, 'charts/')
}

const CARDS = { huggingface: writeHuggingFaceCard, chai: writeChaiCard } satisfies Record<CardFormat, unknown>

/** The card of a model as Markdown. */
function renderModelCard({ format, ...input }: ReportInput & { readonly format: CardFormat }): string {
  return CARDS[format](composeModelCard(input))
}

async function write(document: ReportDocument, format: ReportFormat, charts: string): Promise<WrittenReport> {
  const text = (content: string) => new TextEncoder().encode(content)
  switch (format) {
    case 'html':
      return { bytes: text(writeHtml(document)), charts: [] }
    case 'markdown':
      return { bytes: text(writeMarkdown(document, charts)), charts: chartFiles(document) }
    case 'pdf':
      return { bytes: await (await import('../renderers/pdf/pdf.js')).writePdf(document), charts: [] }
    case 'word':
      return { bytes: await (await import('../renderers/word/word.js')).writeWord(document), charts: [] }
  }
}
