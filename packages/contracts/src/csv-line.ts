export type CsvCell = string | number | null

/** Start of a formula, or of a text that already has its apostrophe; the trainer follows the same rule. */
const FORMULA = /^'*[=+\-@\t\r]/

/** A line of CSV in which spreadsheets recognize no formulas: such texts start with an apostrophe. Numbers are not changed. */
export function csvLine(cells: readonly CsvCell[]): string {
  return cells.map(csvCell).join(',')
}

function csvCell(cell: CsvCell): string {
  const harmless = typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell
  const text = String(harmless ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
