import type { Content } from 'pdfmake'
import { type Block, type Fact, type Figure, type Notice, splitByColumns } from '../../document/document.js'
import { inFont, printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'
import { writeFlow } from './pdf-flow.js'
import { WIDTH } from './pdf-page.js'
import { writeTable } from './pdf-table.js'

const MAX_COLUMNS = 10

export function writeBlock(block: Block, brief: boolean): Content[] {
  switch (block.kind) {
    case 'paragraph':
      return [{ text: printed(block.text), margin: [0, 0, 0, 6] }]
    case 'heading':
      return [{ text: printed(block.text), bold: true, fontSize: 10.5, margin: [0, 6, 0, 3] }]
    case 'list':
      return [{ ul: block.items.map(printed), margin: [0, 0, 0, 6] }]
    case 'code':
      return [
        { text: printed(block.caption), bold: true, margin: [0, 6, 0, 3] },
        boxed({ text: printed(block.text), preserveLeadingSpaces: true, fontSize: 8 }, color('panel')),
      ]
    case 'facts':
      return [writeFacts(block.caption, block.items, brief)]
    case 'notice':
      return [writeNotice(block, brief)]
    case 'not_provided':
      return block.items.map(({ title, prompt }) => ({
        text: [
          { text: `${printed(title)}: `, bold: true },
          { text: 'not provided. ', italics: true },
          { text: printed(prompt), color: color('muted') },
        ],
        margin: [0, 0, 0, 4],
      }))
    case 'flow':
      return [writeFlow(block)]
    case 'figures':
      return writeFigures(block.figures, brief)
    case 'table':
      return splitByColumns(block, MAX_COLUMNS).map((part) => writeTable(part, brief))
  }
}

/** Three or four facts side by side, as many rows as needed. */
export function writeSummary(facts: readonly Fact[], brief: boolean): Content {
  const across = facts.length % 3 === 0 || facts.length < 4 ? 3 : 4
  const cells = facts.map(({ term, value, note }) => ({
    stack: [
      { text: printed(term), fontSize: 7.5, color: color('muted') },
      { text: printed(value), fontSize: brief ? 10 : 11, bold: true },
      ...(note ? [{ text: printed(note), fontSize: 7.5, color: color('muted') }] : []),
    ],
  }))
  const rows = Array.from({ length: Math.ceil(cells.length / across) }, (_, row) =>
    Array.from({ length: across }, (__, column) => cells[row * across + column] ?? ''),
  )
  const line = () => 0.5
  const lineColor = () => color('rule')
  return {
    table: { widths: Array.from({ length: across }, () => '*'), body: rows, dontBreakRows: true },
    layout: {
      hLineWidth: line,
      vLineWidth: line,
      hLineColor: lineColor,
      vLineColor: lineColor,
      paddingLeft: () => 7,
      paddingRight: () => 7,
      paddingTop: () => (brief ? 3 : 5),
      paddingBottom: () => (brief ? 2 : 4),
    },
    margin: [0, 0, 0, brief ? 5 : 10],
  }
}

export function writeNotice({ tone, title, text: words }: Notice, brief: boolean): Content {
  const ink = tone === 'note' ? color('muted') : color(tone)
  const panel = tone === 'note' ? color('panel') : color(`${tone}-panel`)
  return boxed(
    {
      text: [
        { text: `${printed(title)} `, bold: true, color: tone === 'note' ? color('ink') : ink },
        printed(words),
      ],
    },
    panel,
    ink,
    brief ? 3 : 6,
  )
}

function boxed(content: Content, panel: string, edge: string | null = null, below = 6): Content {
  return {
    table: { widths: ['*'], body: [[content]], dontBreakRows: true },
    layout: {
      hLineWidth: () => 0,
      vLineWidth: (line: number) => (edge !== null && line === 0 ? 3 : 0),
      vLineColor: () => edge ?? panel,
      fillColor: () => panel,
      paddingLeft: () => 8,
      paddingRight: () => 8,
      paddingTop: () => 4,
      paddingBottom: () => 3,
    },
    unbreakable: true,
    margin: [0, 0, 0, below],
  }
}

/** A brief report sets facts in three columns. */
function writeFacts(caption: string, items: readonly Fact[], brief: boolean): Content {
  if (!brief)
    return writeTable(
      {
        kind: 'table',
        caption,
        columns: [{ label: '' }, { label: '' }],
        rows: items.map(({ term, value, note }) => [term, note ? { text: value, below: note } : value]),
      },
      brief,
    )
  const cells = items.map(({ term, value, note }) => ({
    text: [
      { text: `${printed(term)}: `, color: color('muted') },
      printed(note ? `${value} (${note})` : value),
    ],
    margin: [0, 0, 0, 2],
  }))
  const third = Math.ceil(cells.length / 3)
  return {
    columns: [0, 1, 2].map((column) => ({ stack: cells.slice(column * third, (column + 1) * third) })),
    columnGap: 12,
    unbreakable: true,
  }
}

/** Two drawings side by side; the description is below in small type. */
function writeFigures(figures: readonly Figure[], brief: boolean): Content[] {
  const gap = 14
  const across = brief && figures.length > 2 ? 3 : 2
  const width = (WIDTH - (across - 1) * gap) / across
  const drawn = figures.map(({ chart }) => ({
    width,
    stack: [
      { text: printed(chart.title), bold: true, margin: [0, 0, 0, 3] },
      { svg: inFont(chart.standalone), fit: [width, brief ? 168 : 300] },
      ...(brief
        ? []
        : [{ text: printed(chart.description), fontSize: 7, color: color('muted'), margin: [0, 3, 0, 0] }]),
    ],
  }))
  return Array.from({ length: Math.ceil(drawn.length / across) }, (_, row) => ({
    columns: drawn.slice(row * across, (row + 1) * across),
    columnGap: gap,
    unbreakable: true,
    margin: [0, 2, 0, brief ? 4 : 12],
  }))
}
