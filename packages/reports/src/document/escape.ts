/** Escaping of text from tables and configurations for each output format. */

/** For HTML and SVG: element content and double-quoted attributes. Control characters, which XML forbids, become spaces. */
export function escapeMarkup(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** For Markdown, including table cells: one line, no markup, no HTML. */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** Removes control characters, unpaired surrogates, and marks that reverse the text direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, (mark) =>
    mark === '\n' || mark === '\t' ? mark : ' ',
  )
}

/** For a label of a drawing: printable, and without line breaks. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ')
}
