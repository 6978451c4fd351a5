import {
  AlignmentType,
  BorderStyle,
  Paragraph,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import { type Cell, type Column, cellText } from '../../document/document.js'
import { color } from '../../theme/theme.js'
import { breakable } from './word-text.js'

/** Width of the text on an A4 page with margins of 1000, in twentieths of a point. */
export const PAGE_TWIPS = 11_906 - 2 * 1000

const GRID = 12
const RULE = color('rule').slice(1)
const MUTED = color('muted').slice(1)
const INK = color('ink').slice(1)
const none = { style: BorderStyle.NONE, size: 0, color: 'auto' }
const thin = { style: BorderStyle.SINGLE, size: 4, color: RULE }
const NO_BORDERS = {
  top: none,
  bottom: none,
  left: none,
  right: none,
  insideHorizontal: none,
  insideVertical: none,
}
const ALL_BORDERS = {
  top: thin,
  bottom: thin,
  left: thin,
  right: thin,
  insideHorizontal: thin,
  insideVertical: thin,
}

/** Rows below an optional header that is repeated on each page. Word needs widths twice: per grid and per cell. */
export function plainTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Table {
  const across = Math.max(columns.length, ...rows.map((row) => row.length), 1)
  const widths = columnWidths(columns, rows, across)
  const size = across > 7 ? 15 : 17
  const right = (index: number) => columns[index]?.numeric === true
  const cell = (paragraphs: Paragraph[], index: number, header: boolean) =>
    new TableCell({
      children: paragraphs,
      width: { size: widths[index] ?? 0, type: WidthType.DXA },
      margins: { top: 30, bottom: 30, left: index === 0 ? 0 : 140, right: 0 },
      ...(header ? { borders: { bottom: { style: BorderStyle.SINGLE, size: 8, color: INK } } } : {}),
    })
  const head = new TableRow({
    tableHeader: true,
    cantSplit: true,
    children: columns.map(({ label }, index) =>
      cell([line(label, { size, bold: true, color: MUTED }, right(index))], index, true),
    ),
  })
  const body = rows.map(
    (row) =>
      new TableRow({
        cantSplit: true,
        children: Array.from({ length: across }, (_, index) =>
          cell(cellLines(row[index] ?? '', size, index === 0, right(index)), index, false),
        ),
      }),
  )
  return new Table({
    width: { size: PAGE_TWIPS, type: WidthType.DXA },
    columnWidths: widths,
    layout: TableLayoutType.FIXED,
    borders: { ...NO_BORDERS, bottom: thin, insideHorizontal: thin },
    rows: [...(columns.length > 0 ? [head] : []), ...body],
  })
}

/** Cells of equal width, `across` per row. */
export function gridTable(cells: readonly Paragraph[][], across: number, framed: boolean): Table {
  const width = Math.floor(PAGE_TWIPS / across)
  const empty = () => [new Paragraph({ children: [] })]
  return new Table({
    width: { size: width * across, type: WidthType.DXA },
    columnWidths: Array.from({ length: across }, () => width),
    layout: TableLayoutType.FIXED,
    borders: framed ? ALL_BORDERS : NO_BORDERS,
    rows: Array.from(
      { length: Math.ceil(cells.length / across) },
      (_, row) =>
        new TableRow({
          cantSplit: true,
          children: Array.from({ length: across }, (__, column) => {
            const children = cells[row * across + column]
            return new TableCell({
              children: children && children.length > 0 ? children : empty(),
              width: { size: width, type: WidthType.DXA },
              margins: { top: 60, bottom: 60, left: framed ? 110 : 0, right: 110 },
            })
          }),
        }),
    ),
  })
}

/** Rows with different numbers of cells, each as wide as the page: cells span a grid of twelve. */
export function rowsTable(rows: readonly (readonly Paragraph[][])[]): Table {
  const unit = Math.floor(PAGE_TWIPS / GRID)
  return new Table({
    width: { size: unit * GRID, type: WidthType.DXA },
    columnWidths: Array.from({ length: GRID }, () => unit),
    layout: TableLayoutType.FIXED,
    borders: ALL_BORDERS,
    rows: rows.map(
      (cells) =>
        new TableRow({
          cantSplit: true,
          children: cells.map(
            (children) =>
              new TableCell({
                children,
                columnSpan: GRID / cells.length,
                width: { size: (unit * GRID) / cells.length, type: WidthType.DXA },
                margins: { top: 60, bottom: 60, left: 110, right: 110 },
              }),
          ),
        }),
    ),
  })
}

/** Every column fits its longest word; the remaining width is given to columns with longer texts. */
function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  across: number,
): number[] {
  const character = across > 7 ? 98 : 110
  const needs = Array.from({ length: across }, (_, index) => {
    const label = columns[index]?.label ?? ''
    const words = [label, ...rows.map((row) => cellText(row[index] ?? ''))].flatMap((text) =>
      text.split(/\s/),
    )
    const least = Math.min(24, Math.max(4, ...words.map((word) => word.length)))
    const most = Math.min(60, Math.max(least, ...rows.map((row) => widest(row[index] ?? ''))))
    return { least: (least + 2) * character, most: (most + 2) * character }
  })
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const least = sum(needs.map((need) => need.least))
  const most = sum(needs.map((need) => need.most))
  const share = most > least ? Math.min(1, Math.max(0, (PAGE_TWIPS - least) / (most - least))) : 0
  const fitted = needs.map((need) => need.least + share * (need.most - need.least))
  const scale = PAGE_TWIPS / sum(fitted)
  return fitted.map((width) => Math.floor(width * scale))
}

function widest(cell: Cell): number {
  if (typeof cell === 'object' && 'below' in cell) return Math.max(cell.text.length, cell.below.length)
  return cellText(cell).length
}

function cellLines(cell: Cell, size: number, first: boolean, right: boolean): Paragraph[] {
  const look = { size, ...(first ? { bold: true } : {}) }
  if (typeof cell === 'object' && 'below' in cell)
    return [line(cell.text, look, right), line(cell.below, { size: size - 3, color: MUTED }, right)]
  return [line(cellText(cell), look, right)]
}

interface Look {
  readonly size: number
  readonly bold?: boolean
  readonly color?: string
}

function line(text: string, look: Look, right: boolean): Paragraph {
  return new Paragraph({
    alignment: right ? AlignmentType.RIGHT : AlignmentType.LEFT,
    spacing: { after: 0 },
    children: [new TextRun({ text: breakable(text), ...look })],
  })
}
