import type { Content } from 'pdfmake'
import {
  type Block,
  type Fact,
  type Figure,
  type ImageCase,
  type Notice,
  paragraphsOf,
  type Statement,
  splitByColumns,
} from '../../document/document.js'
import { pngSize } from '../../document/image.js'
import { summaryRows } from '../../document/summary-rows.js'
import { inFont, printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'
import { writeFlow } from './pdf-flow.js'
import { WIDTH } from './pdf-page.js'
import { breakable, writeTable } from './pdf-table.js'

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
    case 'statements':
      return block.items.flatMap(writeStatement)
    case 'image_cases':
      return writeImageCases(block.caption, block.cases)
    case 'flow':
      return [writeFlow(block)]
    case 'figures':
      return writeFigures(block.figures, brief)
    case 'table':
      return splitByColumns(block, MAX_COLUMNS).map((part) => writeTable(part, brief))
  }
}

/** Rows of the summary as separate tables, because rows may differ in the number of facts. */
export function writeSummary(facts: readonly Fact[], brief: boolean): Content {
  const lineColor = () => color('rule')
  return {
    stack: summaryRows(facts).map((row, index) => ({
      table: {
        widths: row.map(() => '*'),
        body: [row.map((fact) => summaryCell(fact, row.length, brief))],
        dontBreakRows: true,
      },
      layout: {
        // The line between two rows is drawn only once.
        hLineWidth: (line: number) => (line === 0 && index > 0 ? 0 : 0.5),
        vLineWidth: () => 0.5,
        hLineColor: lineColor,
        vLineColor: lineColor,
        paddingLeft: () => 7,
        paddingRight: () => 7,
        paddingTop: () => (brief ? 3 : 5),
        paddingBottom: () => (brief ? 2 : 4),
      },
    })),
    margin: [0, 0, 0, brief ? 5 : 10],
  }
}

/** Maximum number of characters of a value in a row of this many facts. */
const VALUE_CHARACTERS = { 1: 64, 2: 36, 3: 24, 4: 18 } as const

function summaryCell({ term, value, note }: Fact, across: number, brief: boolean): Content {
  const longest = VALUE_CHARACTERS[across as keyof typeof VALUE_CHARACTERS]
  return {
    stack: [
      { text: printed(term), fontSize: 7.5, color: color('muted') },
      { text: breakable(value, longest), fontSize: brief ? 10 : 11, bold: true },
      ...(note ? [{ text: breakable(note), fontSize: 7.5, color: color('muted') }] : []),
    ],
  }
}

function writeStatement({ title, prompt, text }: Statement): Content[] {
  const heading = { text: `${printed(title)}: `, bold: true }
  if (text === null)
    return [
      {
        text: [
          heading,
          { text: 'not provided. ', italics: true },
          { text: printed(prompt), color: color('muted') },
        ],
        margin: [0, 0, 0, 4],
      },
    ]
  const [first = '', ...rest] = paragraphsOf(text).map((words) => breakable(words, 64))
  return [
    { text: [heading, first], margin: [0, 0, 0, rest.length > 0 ? 2 : 4] },
    ...rest.map((words, index) => ({ text: words, margin: [0, 0, 0, index === rest.length - 1 ? 4 : 2] })),
  ]
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

const CASES_ACROSS = 4
const CASE_GAP = 10

/** Four cases side by side; several views of a case share its width. */
function writeImageCases(caption: string, cases: readonly ImageCase[]): Content[] {
  const width = (WIDTH - (CASES_ACROSS - 1) * CASE_GAP) / CASES_ACROSS
  const cells = cases.map(({ title, lines, images }) => ({
    width,
    stack: [
      ...writeViews(images, width),
      { text: printed(title), bold: true, fontSize: 8 },
      ...lines.map((line) => ({ text: breakable(line), fontSize: 7.5, color: color('muted') })),
    ],
  }))
  const rows = Array.from({ length: Math.ceil(cells.length / CASES_ACROSS) }, (_, row) => ({
    columns: cells.slice(row * CASES_ACROSS, (row + 1) * CASES_ACROSS),
    columnGap: CASE_GAP,
    unbreakable: true,
    margin: [0, 0, 0, 8],
  }))
  const heading = { text: printed(caption), bold: true, margin: [0, 2, 0, 4] }
  const [first, ...rest] = rows
  return first ? [{ stack: [heading, first], unbreakable: true }, ...rest] : [heading]
}

/** Two per row; a single one at full width. */
function writeViews(images: ImageCase['images'], width: number): Content[] {
  const gap = 4
  const across = images.length > 1 ? 2 : 1
  const side = (width - (across - 1) * gap) / across
  const drawn = images.map(({ png }) => {
    const { width: wide, height } = pngSize(png)
    return {
      image: `data:image/png;base64,${png}`,
      fit: [side, (side * Math.max(height, wide)) / wide],
      width: side,
    }
  })
  return Array.from({ length: Math.ceil(drawn.length / across) }, (_, row) => ({
    columns: drawn.slice(row * across, (row + 1) * across),
    columnGap: gap,
    margin: [0, 0, 0, 3],
  }))
}

/** Height in points; two rows of drawings with their descriptions fit on a page. */
const FIGURE_HEIGHT = 268

/** Two drawings side by side, with the description below in small type. */
function writeFigures(figures: readonly Figure[], brief: boolean): Content[] {
  const gap = 14
  const across = brief && figures.length > 2 ? 3 : 2
  const width = (WIDTH - (across - 1) * gap) / across
  const drawn = figures.map(({ chart }) => ({
    width,
    stack: [
      { text: printed(chart.title), bold: true, margin: [0, 0, 0, 3] },
      { svg: inFont(chart.standalone), fit: [width, brief ? 156 : FIGURE_HEIGHT] },
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
