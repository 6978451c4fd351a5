/** The formats of reports. */
export const en = {
  format: 'Format',
  write: 'Create',
  writing: 'Creating…',
  html: 'Web page (HTML)',
  markdown: 'Markdown',
  pdf: 'PDF',
  word: 'Word',
}
