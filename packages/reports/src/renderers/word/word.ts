import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  ImageRun,
  Packer,
  PageNumber,
  Paragraph,
  ShadingType,
  type Table,
  TextRun,
} from 'docx'
import { toPng } from '../../charts/raster.js'
import {
  type Block,
  type Fact,
  type Figure,
  type Flow,
  type Notice,
  narrowed,
  type ReportDocument,
  withoutPictures,
} from '../../document/document.js'
import { escapeMarkup, printable } from '../../document/escape.js'
import { color } from '../../theme/theme.js'
import { gridTable, plainTable } from './word-table.js'
import { withoutTimes } from './zip-times.js'

type Part = Paragraph | Table
const MOST_COLUMNS = 9
/** The longer side of a chart, by the number of charts beside each other. */
const FIGURE_PIXELS = { 2: 312, 3: 205 } as const

/** A file that Word opens as its own: headings that make an outline, tables with fixed widths, charts as pictures with words. */
export async function writeWord(document: ReportDocument): Promise<Uint8Array> {
  const { title, kicker, summary, notices, sections, footer, brief = false } = document
  const count = counter()
  const children: Part[] = [
    new Paragraph({ children: [run(kicker.toUpperCase(), { size: 16, color: 'muted' })] }),
    new Paragraph({ heading: HeadingLevel.TITLE, children: [run(title)] }),
    ...(summary.length > 0 ? [...writeSummary(summary), gap()] : []),
    ...notices.map(writeNotice),
    ...sections.flatMap(({ title: name, blocks }) => [
      new Paragraph({ heading: HeadingLevel.HEADING_1, children: [run(name)] }),
      ...blocks.flatMap((block) => writeBlock(block, count, brief)),
    ]),
    new Paragraph({ spacing: { before: 240 }, children: [run(footer, { size: 16, color: 'muted' })] }),
  ]
  const file = new Document({
    title: printable(title),
    creator: 'Medloom',
    description: printable(kicker),
    styles: { default: styles(brief) },
    sections: [
      {
        properties: {
          page: {
            size: { width: 11_906, height: 16_838 },
            margin: { top: brief ? 640 : 1000, bottom: brief ? 640 : 1000, left: 1000, right: 1000 },
          },
        },
        footers: { default: pageNumbers(title) },
        children,
      },
    ],
  })
  const bytes = await Packer.toBuffer(file, undefined, [
    { path: 'docProps/core.xml', data: coreProperties(title, kicker) },
  ])
  return withoutTimes(new Uint8Array(bytes))
}

interface RunLook {
  readonly size?: number
  readonly color?: Parameters<typeof color>[0]
  readonly bold?: boolean
  readonly italics?: boolean
  readonly font?: string
}

function run(text: string, { color: name, ...look }: RunLook = {}): TextRun {
  return new TextRun({ text: printable(text), ...look, ...(name ? { color: hex(name) } : {}) })
}

export function hex(name: Parameters<typeof color>[0]): string {
  return color(name).slice(1)
}

function gap(): Paragraph {
  return new Paragraph({ spacing: { after: 60 }, children: [] })
}

function styles(brief: boolean) {
  const heading = (size: number, before: number) => ({
    run: { size, bold: true, color: hex('ink') },
    paragraph: { spacing: { before, after: 80 }, keepNext: true },
  })
  return {
    document: {
      run: { font: 'Arial', size: brief ? 16 : 18, color: hex('ink') },
      paragraph: { spacing: { after: brief ? 40 : 100 } },
    },
    title: { run: { size: brief ? 32 : 40, bold: true }, paragraph: { spacing: { after: 160 } } },
    heading1: heading(brief ? 22 : 28, brief ? 120 : 360),
    heading2: heading(22, 200),
  }
}

function pageNumbers(title: string): Footer {
  return new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.RIGHT,
        children: [
          run(`${title}   `, { size: 15, color: 'muted' }),
          new TextRun({
            children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES],
            size: 15,
            color: hex('muted'),
          }),
        ],
      }),
    ],
  })
}

function writeBlock(block: Block, count: () => number, brief: boolean): Part[] {
  switch (block.kind) {
    case 'paragraph':
      return [new Paragraph({ children: [run(block.text)] })]
    case 'heading':
      return [new Paragraph({ heading: HeadingLevel.HEADING_2, children: [run(block.text)] })]
    case 'list':
      return block.items.map((item) => new Paragraph({ bullet: { level: 0 }, children: [run(item)] }))
    case 'code':
      return [caption(block.caption), ...block.text.split('\n').map(codeLine)]
    case 'facts':
      if (brief) return [briefFacts(block.items)]
      return [
        ...(block.caption === '' ? [] : [caption(block.caption)]),
        plainTable(
          [],
          block.items.map(({ term, value, note }) => [term, note ? { text: value, below: note } : value]),
        ),
        gap(),
      ]
    case 'notice':
      return [writeNotice(block)]
    case 'not_provided':
      return block.items.map(
        ({ title, prompt }) =>
          new Paragraph({
            children: [
              run(`${title}: `, { bold: true }),
              run('not provided. ', { italics: true }),
              run(prompt, { color: 'muted' }),
            ],
          }),
      )
    case 'flow':
      return writeFlow(block)
    case 'figures':
      return writeFigures(block.figures, count, brief)
    case 'table':
      return narrowed(withoutPictures(block), MOST_COLUMNS).flatMap(
        ({ caption: name, columns, rows, notes = [] }) => [
          caption(name),
          plainTable(columns, rows),
          ...notes
            .filter((note) => note !== '')
            .map((note) => new Paragraph({ children: [run(note, { size: 16, color: 'muted' })] })),
          gap(),
        ],
      )
  }
}

function caption(text: string): Paragraph {
  return new Paragraph({
    keepNext: true,
    spacing: { before: 120, after: 60 },
    children: [run(text, { bold: true })],
  })
}

function codeLine(line: string): Paragraph {
  return new Paragraph({
    shading: { type: ShadingType.CLEAR, fill: hex('panel') },
    spacing: { after: 0 },
    children: [run(line, { font: 'Consolas', size: 17 })],
  })
}

function writeNotice({ tone, title, text }: Notice): Paragraph {
  const edge = tone === 'note' ? 'muted' : tone
  return new Paragraph({
    shading: { type: ShadingType.CLEAR, fill: hex(tone === 'note' ? 'panel' : `${tone}-panel`) },
    border: { left: { style: BorderStyle.SINGLE, size: 24, space: 6, color: hex(edge) } },
    indent: { left: 160 },
    children: [run(`${title} `, { bold: true, color: tone === 'note' ? 'ink' : tone }), run(text)],
  })
}

/** Three facts side by side. */
function writeSummary(facts: readonly Fact[]): Part[] {
  const cells = facts.map(({ term, value, note }) => [
    new Paragraph({ spacing: { after: 0 }, children: [run(term, { size: 15, color: 'muted' })] }),
    new Paragraph({ spacing: { after: 0 }, children: [run(value, { size: 24, bold: true })] }),
    ...(note
      ? [new Paragraph({ spacing: { after: 0 }, children: [run(note, { size: 15, color: 'muted' })] })]
      : []),
  ])
  return [gridTable(cells, 3, true)]
}

/** Steps are numbered by hand, so that a lane can go on where the steps above it end. */
function writeFlow({ caption: name, steps, lanes }: Flow): Part[] {
  const words = ({ label, counts, left_out }: Flow['steps'][number]) => [
    run(label, { bold: true }),
    run(`: ${counts}`),
    ...(left_out ? [run(` (${left_out})`, { color: 'muted' })] : []),
  ]
  return [
    caption(name),
    ...steps.map((step, index) => new Paragraph({ children: [run(`${index + 1}. `), ...words(step)] })),
    ...(lanes.length > 0
      ? [
          gridTable(
            lanes.map((lane) =>
              lane.map((step) => new Paragraph({ spacing: { after: 0 }, children: words(step) })),
            ),
            Math.min(lanes.length, 4),
            true,
          ),
        ]
      : []),
    gap(),
  ]
}

function briefFacts(items: readonly Fact[]): Table {
  const cells = items.map(({ term, value, note }) => [
    new Paragraph({
      spacing: { after: 0 },
      children: [run(`${term}: `, { color: 'muted' }), run(note ? `${value} (${note})` : value)],
    }),
  ])
  return gridTable(cells, 3, false)
}

/** Two or three charts side by side, drawn at twice their size in pixels. */
function writeFigures(figures: readonly Figure[], count: () => number, brief: boolean): Part[] {
  const across = brief ? 3 : 2
  const cells = figures.map(({ chart }) => {
    const [, width = '1', height = '1'] = /viewBox="0 0 (\d+) (\d+)"/.exec(chart.standalone) ?? []
    const scale = FIGURE_PIXELS[across] / Math.max(Number(width), Number(height))
    return [
      new Paragraph({ keepNext: true, children: [run(chart.title, { bold: true })] }),
      new Paragraph({
        children: [
          new ImageRun({
            type: 'png',
            data: toPng(chart.standalone),
            transformation: {
              width: Math.round(Number(width) * scale),
              height: Math.round(Number(height) * scale),
            },
            altText: {
              id: String(count()),
              name: chart.name,
              title: printable(chart.title),
              description: printable(chart.description),
            },
          }),
        ],
      }),
      ...(brief ? [] : [new Paragraph({ children: [run(chart.description, { size: 15, color: 'muted' })] })]),
    ]
  })
  return [gridTable(cells, across, false), gap()]
}

function counter(): () => number {
  let last = 0
  return () => ++last
}

/** Written here because the library puts the time of writing into it. */
function coreProperties(title: string, kicker: string): string {
  const time = '<dcterms:created xsi:type="dcterms:W3CDTF">1980-01-01T00:00:00Z</dcterms:created>'
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escapeMarkup(title)}</dc:title><dc:creator>Medloom</dc:creator><dc:description>${escapeMarkup(kicker)}</dc:description>${time}</cp:coreProperties>`
}
