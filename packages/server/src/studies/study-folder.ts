import { join } from 'node:path'
import type { StudyReportFormat } from '@medloom/contracts'

/** The files of the folder of a study. */
export interface StudyFolder {
  readonly path: string
  /** The study as it was started, with absolute paths: starts the same study again. */
  readonly config: string
  readonly results: string
  readonly reports: string
  report(format: StudyReportFormat): string
}

const EXTENSIONS = { html: 'html', markdown: 'md', pdf: 'pdf', word: 'docx' } as const satisfies Record<
  StudyReportFormat,
  string
>

export function studyFolder(path: string): StudyFolder {
  const reports = join(path, 'reports')
  return {
    path,
    config: join(path, 'study.yaml'),
    results: join(path, 'results.json'),
    reports,
    report: (format) => join(reports, `report.${EXTENSIONS[format]}`),
  }
}
