import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvaluationResult, Job, Model } from '@medloom/contracts'
import {
  type EvaluationRecord,
  type RenderedReport,
  type ReportInput,
  renderInThread,
} from '@medloom/reports'
import { listCheckpoints } from '../storage/checkpoints.js'
import { writeJsonAtomically, writeTextAtomically } from '../storage/files.js'
import { evaluationFiles, runDirectory } from '../storage/run-directory.js'
import { readRunFiles } from './run-files.js'

export interface EvaluationReportInput {
  readonly model: Model
  readonly job: Job
  readonly runDir: string
  /** The folder of evaluation.json, where the report is written too. */
  readonly evaluationDir: string
  readonly evaluation: EvaluationResult
  readonly evaluationId: string
  /** Evaluations of the model on this split, this one included. */
  readonly testEvaluations: number
}

/**
 * Write reports/{summary.json,report.md,report.html} and the charts in artifacts/, after a job has ended in any way.
 * Resolves to the path of report.html. Each file is replaced atomically.
 */
export async function writeRunReport(job: Job, runDir: string): Promise<string> {
  return writeRun(await collect(job, runDir, null), runDir)
}

/**
 * Write report.html and report.md beside the evaluation.json of an evaluation, and the report of the run again, with the
 * evaluation in its list. Resolves to the path of the evaluation's report.html.
 */
export async function writeEvaluationReport(input: EvaluationReportInput): Promise<string> {
  const { job, model, runDir, evaluationDir, evaluation, evaluationId, testEvaluations } = input
  const collected = await collect(job, runDir, model)
  const before = collected.evaluations.find(({ evaluation_id }) => evaluation_id === evaluationId)
  const subject: EvaluationRecord = {
    evaluation_id: evaluationId,
    evaluated_at: before?.evaluated_at ?? new Date().toISOString(),
    test_evaluations: testEvaluations,
    result: evaluation,
  }
  const others = collected.evaluations.filter(({ evaluation_id }) => evaluation_id !== evaluationId)
  const evaluations = [...others, subject].sort((a, b) => a.evaluated_at.localeCompare(b.evaluated_at))
  await writeRun({ ...collected, evaluations }, runDir)

  const report = await renderInThread('run', { ...collected, evaluations, subject })
  await writeCharts(report, runDir)
  await mkdir(evaluationDir, { recursive: true })
  const { page, text } = evaluationFiles(evaluationDir)
  await writeTextAtomically(text, report.markdown)
  await writeTextAtomically(page, report.html)
  return page
}

async function collect(job: Job, runDir: string, model: Model | null): Promise<ReportInput> {
  const checkpoints = await listCheckpoints(runDirectory(runDir).checkpoints)
  return { job, model, checkpoints, subject: null, ...(await readRunFiles(runDir, job.attempt)) }
}

async function writeRun(input: ReportInput, runDir: string): Promise<string> {
  const report = await renderInThread('run', input)
  const { reports, summary, reportText, reportPage } = runDirectory(runDir)
  await mkdir(reports, { recursive: true })
  await writeCharts(report, runDir)
  await writeJsonAtomically(summary, report.summary)
  await writeTextAtomically(reportText, report.markdown)
  await writeTextAtomically(reportPage, report.html)
  return reportPage
}

async function writeCharts({ charts }: RenderedReport, runDir: string): Promise<void> {
  const folder = runDirectory(runDir).artifacts
  await mkdir(folder, { recursive: true })
  for (const { file, svg } of charts) await writeTextAtomically(join(folder, file), svg)
}
