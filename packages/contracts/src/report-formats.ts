/** Report formats → file extensions. */
export const REPORT_ENDINGS = { html: 'html', markdown: 'md', pdf: 'pdf', word: 'docx' } as const
export type ReportFormat = keyof typeof REPORT_ENDINGS
export const REPORT_FORMATS = Object.keys(REPORT_ENDINGS) as [ReportFormat, ...ReportFormat[]]
