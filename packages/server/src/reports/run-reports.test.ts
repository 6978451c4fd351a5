/** @module-tag service */
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EvaluationResult, Job, Model, REPORT_FORMATS, type ReportFormat } from '@medloom/contracts'
import type { RunSummary } from '@medloom/reports'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPdf } from '../../../reports/testing/read-pdf.js'
import { readZip } from '../../../reports/testing/read-zip.js'
import { writeEvaluationReport, writeReportFormats, writeRunReport } from './run-reports.js'

const fixtures = new URL('../../../reports/testing/', import.meta.url).pathname
const fixture = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, `${name}.json`), 'utf8'))
const job = Job.parse(fixture('job'))
const model = Model.parse(fixture('model'))
const evaluation = EvaluationResult.parse(fixture('binary'))

let runDir: string
beforeEach(async () => {
  runDir = await mkdtemp(join(tmpdir(), 'medloom-report-'))
  for (const folder of ['metrics', 'checkpoints/best', 'evaluations'])
    await mkdir(join(runDir, folder), { recursive: true })
  await cp(join(fixtures, 'metrics.json'), join(runDir, 'metrics', 'metrics.json'))
  await cp(join(fixtures, 'multiclass.json'), join(runDir, 'metrics', 'validation.json'))
})
afterEach(() => rm(runDir, { recursive: true, force: true }))

const summary = async (): Promise<RunSummary> =>
  JSON.parse(await readFile(join(runDir, 'reports', 'summary.json'), 'utf8'))

async function evaluate(evaluationId: string, testEvaluations: number): Promise<string> {
  const evaluationDir = join(runDir, 'evaluations', evaluationId)
  await mkdir(evaluationDir)
  await writeFile(join(evaluationDir, 'evaluation.json'), JSON.stringify(evaluation))
  return writeEvaluationReport({
    model,
    job,
    runDir,
    evaluationDir,
    evaluation,
    evaluationId,
    testEvaluations,
    datasetTexts: undefined,
    failureImages: null,
  })
}

describe('the report of a run', () => {
  it('is written into the run as page, text, summary and figures, without temporary files', async () => {
    expect(await writeRunReport(job, runDir)).toBe(join(runDir, 'reports', 'report.html'))
    expect((await readdir(join(runDir, 'reports'))).sort()).toEqual([
      'report.html',
      'report.md',
      'summary.json',
    ])
    expect((await readdir(join(runDir, 'artifacts'))).sort()).toEqual([
      'learning-curve-loss.svg',
      'learning-curve-metrics.svg',
      'validation-calibration.svg',
      'validation-confusion-matrix.svg',
      'validation-pr.svg',
      'validation-roc.svg',
    ])
  })

  it('contains the numbers of validation.json, digit for digit, in the summary', async () => {
    await writeRunReport(job, runDir)
    const validation = EvaluationResult.parse(fixture('multiclass'))
    expect((await summary()).validation).toMatchObject({
      split: 'val',
      metrics: validation.metrics,
      intervals: validation.intervals,
    })
  })

  it('names the best checkpoint and its digest', async () => {
    const file = { file: 'model-abc.safetensors', sha256: 'ab'.repeat(32), size_bytes: 1 }
    const manifest = {
      schema_version: 1,
      job_id: job.job_id,
      epoch: 6,
      created_at: job.created_at,
      metrics: {},
      files: { model: file },
    }
    await writeFile(join(runDir, 'checkpoints', 'best', 'checkpoint.json'), JSON.stringify(manifest))
    const page = await readFile(await writeRunReport(job, runDir), 'utf8')
    expect(page).toContain(file.sha256)
    expect((await summary()).model.checkpoint_digest).toBe(file.sha256)
  })

  it('is written for a run without results', async () => {
    await rm(join(runDir, 'metrics'), { recursive: true })
    const page = await readFile(
      await writeRunReport({ ...job, status: 'failed', prepared: null }, runDir),
      'utf8',
    )
    expect(page).toContain('This training failed.')
    expect((await summary()).validation).toBeNull()
  })

  it('reports a damaged file of the run', async () => {
    await writeFile(join(runDir, 'metrics', 'validation.json'), '{"schema_version": 1, "metr')
    const page = await readFile(await writeRunReport(job, runDir), 'utf8')
    expect(page).toContain('A file of the run could not be read.')
    expect(page).toContain('validation.json')
  })
})

describe('subgroups of a stored result', () => {
  const texts = {
    html: (bytes: Buffer) => String(bytes),
    markdown: (bytes: Buffer) => String(bytes).replaceAll('|', ''),
    pdf: (bytes: Buffer) => readPdf(bytes).text,
    word: (bytes: Buffer) => String(readZip(bytes).get('word/document.xml')?.content),
  } as const satisfies Record<ReportFormat, (bytes: Buffer) => string>

  it('have no small counts in any format', async () => {
    await cp(join(fixtures, 'binary.json'), join(runDir, 'metrics', 'validation.json'))
    const about = { job, model, runDir, datasetTexts: undefined }
    for (const { format, path } of await writeReportFormats(about, join(runDir, 'reports'), REPORT_FORMATS)) {
      const text = texts[format](await readFile(path)).replaceAll(/<[^>]*>|\s/g, '')
      // 8 cases of site C, of which 2 have the event.
      expect([format, /site:C8(..)/.exec(text)?.[1]]).toEqual([format, '––'])
    }
  })
})

describe('the texts of the authors', () => {
  const withEthics = { ...job, config: { ...job.config, report: { ethics: 'of the configuration' } } }
  const ofDataset = { ethics: 'of the dataset', funding: 'of the dataset' }

  it('come from the configuration, or else from the dataset', async () => {
    const page = await readFile(await writeRunReport(withEthics, runDir, ofDataset), 'utf8')
    expect(page).toMatch(/Ethics<\/strong><\/p><p>of the configuration</)
    expect(page).toMatch(/Funding<\/strong><\/p><p>of the dataset</)
    expect(page).toMatch(/Sample size<\/strong> <span class="tag">not provided</)
    expect((await summary()).report).toEqual({ ...ofDataset, ...withEthics.config.report })
  })

  it('are in later evaluation reports, too', async () => {
    const evaluationDir = join(runDir, 'evaluations', 'e')
    const path = await writeEvaluationReport({
      ...{ model, job: withEthics, runDir, evaluationDir, evaluation, evaluationId: 'e', testEvaluations: 1 },
      ...{ datasetTexts: ofDataset, failureImages: null },
    })
    for (const file of [path, join(runDir, 'reports', 'report.html')])
      expect(await readFile(file, 'utf8')).toMatch(/Ethics<\/strong><\/p><p>of the configuration</)
  })
})

describe('the report of an evaluation', () => {
  it('is written into the folder of its evaluation.json, with its own figures', async () => {
    const path = await evaluate('0e4c', 1)
    expect(path).toBe(join(runDir, 'evaluations', '0e4c', 'report.html'))
    expect(await readFile(path, 'utf8')).toContain('Performance on the test split')
    expect(existsSync(join(runDir, 'evaluations', '0e4c', 'report.md'))).toBe(true)
    expect(existsSync(join(runDir, 'artifacts', 'evaluation-0e4c-roc.svg'))).toBe(true)
  })

  it('is listed in the report of the run, and the count of test evaluations survives the next report', async () => {
    await evaluate('first', 1)
    await evaluate('second', 2)
    await writeRunReport(job, runDir)
    const { evaluations } = await summary()
    expect(
      evaluations.map(({ evaluation_id, test_evaluations }) => [evaluation_id, test_evaluations]),
    ).toEqual([
      ['first', 1],
      ['second', 2],
    ])
    expect(evaluations[0]?.metrics).toEqual(evaluation.metrics)
    const page = await readFile(join(runDir, 'reports', 'report.html'), 'utf8')
    expect(page).toContain('href="../evaluations/second/report.html"')
  })
})
