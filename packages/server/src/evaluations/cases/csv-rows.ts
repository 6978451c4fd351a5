/**
 * The rows of a CSV written by the trainer: cells between commas; in quoted cells, quotes are doubled. The apostrophe that prevents a
 * spreadsheet from interpreting a text as a formula is removed.
 */
export function* csvRows(text: string): Generator<readonly string[], void, void> {
  for (let from = 0; from < text.length; ) {
    let end = lineEnd(text, from)
    let line = text.slice(from, end)
    // A quoted cell can contain line breaks.
    while (isOpen(line) && end < text.length) {
      end = lineEnd(text, end + 1)
      line = text.slice(from, end)
    }
    const cells = line.includes('"') ? quotedCells(line) : line.split(',')
    yield line.includes("'") ? cells.map(originalText) : cells
    from = end + 1
  }
}

/** Reverses the escaping of export/tables.py. */
function originalText(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Returns true if a quote is not closed in this part. */
function isOpen(part: string): boolean {
  let open = false
  for (let index = part.indexOf('"'); index >= 0; index = part.indexOf('"', index + 1)) open = !open
  return open
}

function quotedCells(line: string): string[] {
  const cells: string[] = []
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
  return cells
}
