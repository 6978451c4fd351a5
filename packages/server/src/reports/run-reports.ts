import { join } from 'node:path'
import {
  type CardFormat,
  type EvaluationResult,
  type FailureImages,
  firstTexts,
  type Job,
  type Model,
  REPORT_ENDINGS,
  type ReportFormat,
  type ReportTexts,
} from '@medloom/contracts'
import {
  type EvaluationRecord,
  type RenderedReport,
  type ReportInput,
  renderInThread,
} from '@medloom/reports'
import { listCheckpoints } from '../storage/checkpoints.js'
import { writeJsonAtomically, writeTextAtomically } from '../storage/files.js'
import { makeFolder } from '../storage/own-folder.js'
import { evaluationFiles, RunDirectory } from '../storage/run-directory.js'
import { readRunFiles } from './run-files.js'

export interface EvaluationReportInput {
  readonly model: Model
  readonly job: Job
  readonly runDir: string
  /** The folder of evaluation.json, which also receives the report. */
  readonly evaluationDir: string
  readonly evaluation: EvaluationResult
  readonly evaluationId: string
  /** Number of evaluations of the model on this split, including this one. */
  readonly testEvaluations: number | null
  /** Texts of the dataset, used if the configuration of the job has none. */
  readonly datasetTexts: ReportTexts | undefined
  /** Null: the report shows no images. */
  readonly failureImages: FailureImages | null
}

/**
 * Write reports/{summary.json,report.md,report.html} and the charts in artifacts/, after a job has ended in any way.
 * Resolves to the path of report.html. Each file is replaced atomically.
 */
export async function writeRunReport(
  job: Job,
  runDir: string,
  datasetTexts?: ReportTexts | undefined,
): Promise<string> {
  return writeRun(await collect({ job, runDir, model: null, datasetTexts }), runDir)
}

/**
 * Write report.html and report.md into the folder of evaluation.json, and rewrite the report of the run with the evaluation in its list.
 * Resolves to the path of the evaluation's report.html.
 */
export async function writeEvaluationReport(input: EvaluationReportInput): Promise<string> {
  const { runDir, evaluationDir } = input
  const about = await collectEvaluation(input)
  await writeRun({ ...about, subject: null, failureImages: null }, runDir)
  const report = await renderInThread('run', about)
  await writeCharts(report, runDir)
  await makeFolder(evaluationDir)
  const { page, text } = evaluationFiles(evaluationDir)
  await writeTextAtomically(text, report.markdown)
  await writeTextAtomically(page, report.html)
  return page
}

/**
 * Write the report of a run, or of one of its evaluations, in these formats: report.html, .md, .pdf and .docx in `folder`. Each file is
 * replaced atomically. Resolves to their paths.
 */
export async function writeReportFormats(
  source: (Origin & { readonly evaluationId?: never }) | EvaluationReportInput,
  folder: string,
  formats: readonly ReportFormat[],
): Promise<{ format: ReportFormat; path: string }[]> {
  const input = source.evaluationId === undefined ? await collect(source) : await collectEvaluation(source)
  await makeFolder(folder)
  const written: { format: ReportFormat; path: string }[] = []
  for (const format of new Set(formats)) {
    const report = await renderInThread('runInFormat', { ...input, format })
    await writeCharts(report, source.runDir)
    const path = join(folder, `report.${REPORT_ENDINGS[format]}`)
    await writeTextAtomically(path, report.bytes)
    written.push({ format, path })
  }
  return written
}

/** The card of a model in Markdown, from the files of its run. */
export async function writeModelCard(source: Origin, format: CardFormat): Promise<string> {
  return renderInThread('modelCard', { ...(await collect(source)), format })
}

/** The input with the evaluation as the subject of the report, and in the list of all evaluations. */
async function collectEvaluation(input: EvaluationReportInput): Promise<ReportInput> {
  const { evaluation, evaluationId, testEvaluations, failureImages } = input
  const collected = await collect(input)
  const before = collected.evaluations.find(({ evaluation_id }) => evaluation_id === evaluationId)
  const subject: EvaluationRecord = {
    evaluation_id: evaluationId,
    evaluated_at: before?.evaluated_at ?? new Date().toISOString(),
    test_evaluations: testEvaluations,
    result: evaluation,
  }
  const others = collected.evaluations.filter(({ evaluation_id }) => evaluation_id !== evaluationId)
  const evaluations = [...others, subject].sort((a, b) => a.evaluated_at.localeCompare(b.evaluated_at))
  return { ...collected, evaluations, subject, failureImages }
}

/** Rows of the table of checkpoints in a report. */
const CHECKPOINTS_LISTED = 40

type Origin = Pick<EvaluationReportInput, 'job' | 'runDir' | 'datasetTexts'> & {
  readonly model: Model | null
}

async function collect({ job, runDir, model, datasetTexts }: Origin): Promise<ReportInput> {
  const folder = new RunDirectory(runDir).checkpoints
  const { checkpoints, total } = await listCheckpoints(folder, { size: CHECKPOINTS_LISTED })
  const moreCheckpoints = total - checkpoints.length
  const texts = firstTexts(job.config.report, datasetTexts)
  const files = await readRunFiles(runDir, job.attempt)
  return { job, model, checkpoints, moreCheckpoints, texts, subject: null, failureImages: null, ...files }
}

async function writeRun(input: ReportInput, runDir: string): Promise<string> {
  const report = await renderInThread('run', input)
  const { reports, summary, reportText, reportPage } = new RunDirectory(runDir)
  await makeFolder(reports)
  await writeCharts(report, runDir)
  await writeJsonAtomically(summary, report.summary)
  await writeTextAtomically(reportText, report.markdown)
  await writeTextAtomically(reportPage, report.html)
  return reportPage
}

async function writeCharts({ charts }: Pick<RenderedReport, 'charts'>, runDir: string): Promise<void> {
  const folder = new RunDirectory(runDir).artifacts
  await makeFolder(folder)
  for (const { file, svg } of charts) await writeTextAtomically(join(folder, file), svg)
}
