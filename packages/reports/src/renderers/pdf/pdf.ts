import pdfmake, { type Content } from 'pdfmake'
import {
  type Block,
  type Fact,
  type Figure,
  type Notice,
  narrowed,
  type ReportDocument,
  type Section,
} from '../../document/document.js'
import { printable } from '../../document/escape.js'
import { FONT_FAMILY, FONT_FILES, FONT_FOLDER, inFont, isInFont, printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'
import { writeFlow } from './pdf-flow.js'
import { writeTable } from './pdf-table.js'

const PAGE_WIDTH = 595.28
const MARGIN = 46
const WIDTH = PAGE_WIDTH - 2 * MARGIN
const MOST_COLUMNS = 10
/** A file of the same content has the same bytes, so it has no time of its own. */
const NO_TIME = new Date('1980-01-01T00:00:00Z')

pdfmake.setFonts({ [FONT_FAMILY]: FONT_FILES })
pdfmake.setUrlAccessPolicy(() => false)
pdfmake.setLocalAccessPolicy((path) => path.startsWith(FONT_FOLDER))

/** A4 pages with embedded fonts and drawings as vectors; nothing is loaded, and text stays text. */
export async function writePdf(document: ReportDocument): Promise<Uint8Array> {
  const { title, kicker, summary, notices, sections, footer, brief = false } = document
  const buffer = await pdfmake
    .createPdf({
      pageSize: 'A4',
      pageMargins: brief ? [MARGIN, 34, MARGIN, 40] : [MARGIN, 50, MARGIN, 54],
      language: 'en',
      displayTitle: true,
      info: {
        title: printed(title),
        subject: printed(kicker),
        creator: 'Medloom',
        producer: 'Medloom',
        creationDate: NO_TIME,
      },
      defaultStyle: {
        font: FONT_FAMILY,
        fontSize: brief ? 8 : 9,
        lineHeight: brief ? 1.12 : 1.2,
        color: color('ink'),
      },
      footer: (page: number, pages: number): Content => ({
        columns: [
          { text: printed(title), color: color('muted') },
          { text: `${page} / ${pages}`, alignment: 'right', width: 60, color: color('muted') },
        ],
        fontSize: 7.5,
        margin: [MARGIN, 14, MARGIN, 0],
      }),
      content: [
        { text: printed(kicker).toUpperCase(), fontSize: 8, color: color('muted'), characterSpacing: 0.6 },
        { text: printed(title), fontSize: brief ? 16 : 21, bold: true, margin: [0, 2, 0, brief ? 6 : 10] },
        ...(summary.length > 0 ? [writeSummary(summary, brief)] : []),
        ...[...notices, ...alphabetNotice(document)].map((notice) => writeNotice(notice, brief)),
        ...sections.flatMap((section) => writeSection(section, brief)),
        { text: printed(footer), fontSize: 7.5, color: color('muted'), margin: [0, brief ? 6 : 18, 0, 0] },
      ],
    })
    .getBuffer()
  return new Uint8Array(buffer)
}

/** Said once, so that codes in brackets are understood. */
function alphabetNotice(document: ReportDocument): Notice[] {
  if (isInFont(printable(JSON.stringify(document.sections.map(({ blocks }) => blocks.filter(isWords))))))
    return []
  const words = 'Characters that the font of this file lacks are written as their code, such as [U+4E2D].'
  return [{ kind: 'notice', tone: 'note', title: 'Alphabet.', text: `${words} The HTML format shows them.` }]
}

function isWords(block: Block): boolean {
  return block.kind !== 'figures'
}

/** A heading stays on the page of what follows it, as far as that is not divided itself. */
function writeSection({ title, blocks }: Section, brief: boolean): Content[] {
  const heading = {
    text: printed(title),
    fontSize: brief ? 11 : 14,
    bold: true,
    margin: [0, brief ? 6 : 16, 0, brief ? 3 : 6],
    outline: true,
  }
  const [first, ...rest] = blocks.flatMap((block) => writeBlock(block, brief))
  const isWhole = typeof first === 'object' && ('unbreakable' in first || 'text' in first)
  return isWhole
    ? [{ stack: [heading, first], unbreakable: true }, ...rest]
    : [heading, ...(first === undefined ? [] : [first]), ...rest]
}

function writeBlock(block: Block, brief: boolean): Content[] {
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
      return narrowed(block, MOST_COLUMNS).map((part) => writeTable(part, brief))
  }
}

/** Three or four facts side by side, as many rows as needed. */
function writeSummary(facts: readonly Fact[], brief: boolean): Content {
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

function writeNotice({ tone, title, text: words }: Notice, brief: boolean): Content {
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

/** Two drawings side by side; the words for those who cannot see them stand below in small type. */
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
