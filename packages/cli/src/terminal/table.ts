import { stripVTControlCharacters } from 'node:util'

/** Rows under their headings, in aligned columns, numbers to the right. Control characters of values are shown as "?". */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(oneLine))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => widthOf(row[column] ?? ''))),
  )
  const right = headings.map(
    (_, column) =>
      cells.length > 0 &&
      cells.every((row) => /^(-?[\d.,]+(e[+-]\d+)?( [a-zA-Z/%]+)?|–|)$/.test(plain(row[column] ?? ''))),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const fill = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))
        return right[column] ? fill + cell : cell + fill
      })
      .join('  ')
      .trimEnd()
  return [line(headings), ...cells.map(line)].join('\n')
}

function widthOf(text: string): number {
  return [...plain(text)].length
}

function plain(text: string): string {
  return stripVTControlCharacters(text)
}

function oneLine(text: string): string {
  // Styles begin with ESC and are kept; other control characters could move the cursor.
  return text.replaceAll(/[\p{Cc}]/gu, (character) => (character === '\x1b' ? character : '?'))
}
