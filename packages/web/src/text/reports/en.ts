/** In which formats reports are written. */
export const en = {
  format: 'Format',
  write: 'Write',
  writing: 'Writing…',
  html: 'Page (HTML)',
  markdown: 'Markdown',
  pdf: 'PDF',
  word: 'Word',
}
