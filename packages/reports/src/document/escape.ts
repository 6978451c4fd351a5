/** Text from tables and configurations, escaped for the format that it is written into. */

/** For HTML and SVG: element content and double-quoted attributes. Control characters, which XML forbids, become spaces. */
export function escapeMarkup(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** For Markdown, table cells included: one line, no markup, no HTML. */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** Without control characters, unpaired surrogates, and marks that reverse the direction of the text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, (mark) =>
    mark === '\n' || mark === '\t' ? mark : ' ',
  )
}

/** For a label of a drawing: printable, and without line breaks. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ')
}
