import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Job, ReportFormat, Study, StudyReport } from '@medloom/contracts'
import { renderInThread, type StudyReportInput } from '@medloom/reports'
import type { DataFolder } from '../storage/data-folder.js'
import { writeTextAtomically } from '../storage/files.js'
import { makeFolder } from '../storage/own-folder.js'
import { studyFolder } from './study-folder.js'
import type { StudyReader } from './study-reader.js'
import { TABLE_KEYS } from './study-record.js'
import { namesTestCases } from './test-evaluations.js'

export interface StudyReportsOptions {
  readonly folder: Pick<DataFolder, 'study'>
  readonly reader: StudyReader
  readonly job: (jobId: string) => Promise<Job>
}

/** Writes the reports of a study from its results into its folder, in a separate thread. */
export class StudyReports {
  constructor(private readonly options: StudyReportsOptions) {}

  /** Path of the HTML report, relative to the folder of the study. */
  get page(): string {
    const files = studyFolder('')
    return relative(files.path, files.report('html'))
  }

  /** Each file is replaced atomically. @throws AppError STUDY_NO_RESULTS. */
  async write(study: Study, formats: readonly ReportFormat[]): Promise<StudyReport['files']> {
    const files = studyFolder(this.options.folder.study(study.study_id))
    const input = await this.#inputOf(study)
    const charts = join(files.reports, 'charts')
    await makeFolder(charts)
    const written: StudyReport['files'] = []
    for (const format of new Set(formats)) {
      const rendered = await renderInThread('study', { ...input, format })
      for (const { file, svg } of rendered.charts) await writeTextAtomically(join(charts, file), svg)
      const path = files.report(format)
      await writeTextAtomically(path, rendered.bytes)
      written.push({ format, path })
    }
    return written
  }

  async #inputOf(study: Study): Promise<StudyReportInput> {
    const { folder, reader } = this.options
    const files = studyFolder(folder.study(study.study_id))
    const { config, digests } = await reader.find(study.study_id)
    const job = await this.#anyJob(study)
    const onTest = job !== null && namesTestCases(config.config, job)
    return {
      study,
      results: await reader.results(study.study_id),
      measuredOn: config.folds === null ? (onTest ? 'test' : 'validation') : 'held-out',
      prepared: job?.prepared ?? null,
      tables: Object.fromEntries(
        TABLE_KEYS.flatMap((key) => {
          const [path, sha256] = [config.config.data[key], digests[key]]
          return path === null || sha256 === undefined ? [] : [[key, { path, sha256 }]]
        }),
      ),
      configuration: await readFile(files.config, 'utf8'),
    }
  }

  /** The first complete job that still exists. */
  async #anyJob({ jobs }: Study): Promise<Job | null> {
    for (const { job_id, status } of jobs) {
      if (job_id === null || status !== 'completed') continue
      const job = await this.options.job(job_id).catch(() => null)
      if (job) return job
    }
    return null
  }
}
