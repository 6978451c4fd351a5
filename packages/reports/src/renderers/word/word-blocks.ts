import { BorderStyle, HeadingLevel, ImageRun, Paragraph, ShadingType, type Table } from 'docx'
import { toPng } from '../../charts/raster.js'
import {
  type Block,
  type Fact,
  type Figure,
  type Flow,
  type ImageCase,
  type Notice,
  paragraphsOf,
  type Statement,
  splitByColumns,
  withoutDrawnColumns,
} from '../../document/document.js'
import { printable } from '../../document/escape.js'
import { pngSize } from '../../document/image.js'
import { summaryRows } from '../../document/summary-rows.js'
import { gridTable, plainTable, rowsTable } from './word-table.js'
import { gap, hex, run } from './word-text.js'

export type Part = Paragraph | Table
const MAX_COLUMNS = 9
/** Longer side of a chart, by the number of charts side by side. */
const FIGURE_PIXELS = { 2: 300, 3: 180 } as const
/** Longer side of the only image of a case. */
const CASE_PIXELS = 150

export function writeBlock(block: Block, count: () => number, brief: boolean): Part[] {
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
    case 'statements':
      return block.items.flatMap(writeStatement)
    case 'image_cases':
      return [caption(block.caption), writeImageCases(block.cases, count), gap()]
    case 'flow':
      return writeFlow(block)
    case 'figures':
      return writeFigures(block.figures, count, brief)
    case 'table':
      return splitByColumns(withoutDrawnColumns(block), MAX_COLUMNS).flatMap(
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

export function writeNotice({ tone, title, text }: Notice): Paragraph {
  const edge = tone === 'note' ? 'muted' : tone
  return new Paragraph({
    shading: { type: ShadingType.CLEAR, fill: hex(tone === 'note' ? 'panel' : `${tone}-panel`) },
    border: { left: { style: BorderStyle.SINGLE, size: 24, space: 6, color: hex(edge) } },
    indent: { left: 160 },
    children: [run(`${title} `, { bold: true, color: tone === 'note' ? 'ink' : tone }), run(text)],
  })
}

function writeStatement({ title, prompt, text }: Statement): Paragraph[] {
  const heading = run(`${title}: `, { bold: true })
  if (text === null)
    return [
      new Paragraph({
        children: [heading, run('not provided. ', { italics: true }), run(prompt, { color: 'muted' })],
      }),
    ]
  return paragraphsOf(text).map(
    (words, index) => new Paragraph({ children: index === 0 ? [heading, run(words)] : [run(words)] }),
  )
}

/** Four cases side by side; several views of a case share its width. */
function writeImageCases(cases: readonly ImageCase[], count: () => number): Table {
  const cells = cases.map(({ title, lines, images }) => {
    const most = images.length > 1 ? CASE_PIXELS / 2 : CASE_PIXELS
    const drawn = images.map(({ png, description }) => {
      const { width, height } = pngSize(png)
      const scale = most / Math.max(width, height)
      return new ImageRun({
        type: 'png',
        data: Buffer.from(png, 'base64'),
        transformation: { width: Math.round(width * scale), height: Math.round(height * scale) },
        altText: { id: String(count()), name: description, title: description, description },
      })
    })
    return [
      ...(drawn.length > 0 ? [new Paragraph({ spacing: { after: 40 }, children: drawn })] : []),
      new Paragraph({ spacing: { after: 0 }, children: [run(title, { bold: true })] }),
      ...lines.map(
        (line) =>
          new Paragraph({ spacing: { after: 0 }, children: [run(line, { size: 15, color: 'muted' })] }),
      ),
    ]
  })
  return gridTable(cells, 4, false)
}

/** Rows of the summary, each filled. */
export function writeSummary(facts: readonly Fact[]): Part[] {
  const cell = ({ term, value, note }: Fact) => [
    new Paragraph({ spacing: { after: 0 }, children: [run(term, { size: 15, color: 'muted' })] }),
    new Paragraph({ spacing: { after: 0 }, children: [run(value, { size: 21, bold: true })] }),
    ...(note
      ? [new Paragraph({ spacing: { after: 0 }, children: [run(note, { size: 15, color: 'muted' })] })]
      : []),
  ]
  return [rowsTable(summaryRows(facts).map((row) => row.map(cell)))]
}

/** Steps are numbered in the text, so that lanes can follow them. */
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
      new Paragraph({ children: [run(chart.title, { bold: true })] }),
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

export function counter(): () => number {
  let last = 0
  return () => ++last
}
