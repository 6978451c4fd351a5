import { join } from 'node:path'
import { REPORT_ENDINGS, type ReportFormat } from '@medloom/contracts'

/** The files of the folder of a study. */
export interface StudyFolder {
  readonly path: string
  /** The study as it was started, with absolute paths; it can be started again from this file. */
  readonly config: string
  readonly results: string
  readonly reports: string
  report(format: ReportFormat): string
}

export function studyFolder(path: string): StudyFolder {
  const reports = join(path, 'reports')
  return {
    path,
    config: join(path, 'study.yaml'),
    results: join(path, 'results.json'),
    reports,
    report: (format) => join(reports, `report.${REPORT_ENDINGS[format]}`),
  }
}
