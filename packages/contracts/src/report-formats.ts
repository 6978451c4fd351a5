/** Report formats → file extensions. */
export const REPORT_ENDINGS = { html: 'html', markdown: 'md', pdf: 'pdf', word: 'docx' } as const
export type ReportFormat = keyof typeof REPORT_ENDINGS
export const REPORT_FORMATS = Object.keys(REPORT_ENDINGS) as [ReportFormat, ...ReportFormat[]]

/** Forms of a model card → name of the file; the name of the first is fixed by the Hugging Face Hub. */
export const CARD_FILES = { huggingface: 'README.md', chai: 'applied-model-card.md' } as const
export type CardFormat = keyof typeof CARD_FILES
export const CARD_FORMATS = Object.keys(CARD_FILES) as [CardFormat, ...CardFormat[]]
