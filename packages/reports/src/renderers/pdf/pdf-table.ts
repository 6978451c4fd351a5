import type { Content, Layout } from 'pdfmake'
import { drawForest, FOREST_HEIGHT } from '../../charts/forest.js'
import { type Cell, type Column, cellText, type Table } from '../../document/document.js'
import { LONGEST, wordsInPieces } from '../../document/long-words.js'
import { printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'

const FOREST_POINTS = 92
/** A table up to this number of rows is not divided between pages. */
const WHOLE_ROWS = 14

/** The caption is a row of the header, so that it is repeated on the next page. */
export function writeTable({ caption, columns, rows, notes = [] }: Table, brief: boolean): Content {
  const captions = caption === '' ? 0 : 1
  const named = columns.some(({ label }) => label !== '')
  const header = captions + (named ? 1 : 0)
  // Words that would widen a narrow column may be broken.
  const longest = columns.length > 2 ? LONGEST : 64
  const head = columns.map(({ label, numeric }) => ({
    text: breakable(label, longest),
    alignment: numeric ? 'right' : 'left',
    color: color('muted'),
    bold: true,
  }))
  const captionRow = [
    { text: printed(caption), bold: true, colSpan: columns.length, fontSize: brief ? 8 : 9 },
    ...columns.slice(1).map(() => ''),
  ]
  return {
    stack: [
      {
        table: {
          headerRows: header,
          keepWithHeaderRows: 1,
          dontBreakRows: true,
          widths: columns.map((column, index) => widthOf(column, index, columns, rows)),
          body: [
            ...(captions ? [captionRow] : []),
            ...(named ? [head] : []),
            ...rows.map((row) =>
              columns.map((column, index) => writeCell(row[index] ?? '', column, index, longest)),
            ),
          ],
        },
        layout: layout(header, brief),
        fontSize: fontSize(columns.length, brief),
      },
      ...notes
        .filter((note) => note !== '')
        .map((note) => ({ text: printed(note), fontSize: 7, color: color('muted'), margin: [0, 2, 0, 0] })),
    ],
    ...(rows.length <= WHOLE_ROWS ? { unbreakable: true } : {}),
    margin: [0, 2, 0, brief ? 4 : 10],
  }
}

function layout(header: number, brief: boolean): Layout {
  return {
    hLineWidth: (line, { table }) =>
      line === 0 ? 0 : line < header ? 0 : line === header ? 0.8 : line === table.body.length ? 0.5 : 0.4,
    hLineColor: (line) => (line === header ? color('ink') : color('rule')),
    vLineWidth: () => 0,
    paddingLeft: (column) => (column === 0 ? 0 : 8),
    paddingRight: () => 0,
    paddingTop: () => (brief ? 1.2 : 2.2),
    paddingBottom: () => (brief ? 0.8 : 1.8),
  }
}

function fontSize(columns: number, brief: boolean): number {
  if (brief) return 7.5
  return columns > 7 ? 7 : 8
}

/** Numbers take the width that they need and long words take the rest; without long words, all columns are equal. */
function widthOf(
  column: Column,
  index: number,
  columns: readonly Column[],
  rows: Table['rows'],
): string | number {
  if (rows.some((row) => isForest(row[index]))) return FOREST_POINTS
  if (columns.length === 2) return index === 0 && !column.numeric ? 150 : '*'
  const isLong = (column: number) =>
    !columns[column]?.numeric &&
    rows.some((row) => !isForest(row[column]) && cellText(row[column] ?? '').length > 26)
  return isLong(index) || !columns.some((_, column) => isLong(column)) ? '*' : 'auto'
}

function isForest(cell: Cell | undefined): boolean {
  return typeof cell === 'object' && 'forest' in cell
}

function writeCell(cell: Cell, { numeric }: Column, index: number, longest: number): Content {
  // A number and its interval stay on one line; text columns become narrower.
  const look = {
    alignment: numeric ? 'right' : 'left',
    ...(numeric && cellText(cell).length <= longest ? { noWrap: true } : {}),
    ...(index === 0 ? { bold: true } : {}),
  }
  if (typeof cell === 'object' && 'forest' in cell)
    return cell.forest
      ? {
          svg: drawForest(cell.forest, cell.text),
          fit: [FOREST_POINTS - 6, FOREST_HEIGHT],
        }
      : ''
  if (typeof cell === 'object' && 'below' in cell)
    return {
      stack: [
        { text: breakable(cell.text, longest), ...look },
        {
          text: breakable(cell.below, longest),
          fontSize: 6.5,
          color: color('muted'),
          alignment: look.alignment,
        },
      ],
    }
  return { text: breakable(cellText(cell), longest), ...look }
}

/** Allows breaks in long words: after a separator of names and paths, otherwise after `longest` characters. */
export function breakable(words: string, longest = LONGEST): string {
  const chopped = new RegExp(`.{${longest}}(?=.)`, 'gu')
  return wordsInPieces(printed(words), longest)
    .map((word) => word.map(({ text }) => text.replace(chopped, '$&\u200b')).join('\u200b'))
    .join('')
}
