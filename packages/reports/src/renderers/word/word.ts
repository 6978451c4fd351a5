import { AlignmentType, Document, Footer, HeadingLevel, Packer, PageNumber, Paragraph, TextRun } from 'docx'
import type { ReportDocument } from '../../document/document.js'
import { escapeMarkup, printable } from '../../document/escape.js'
import { forPrint } from '../../document/print-layout.js'
import { counter, type Part, writeBlock, writeNotice, writeSummary } from './word-blocks.js'
import { gap, hex, run } from './word-text.js'
import { withoutTimes } from './zip-times.js'

/** A .docx file: headings that form an outline, tables with fixed widths, charts as images with a description. */
export async function writeWord(document: ReportDocument): Promise<Uint8Array> {
  const { title, kicker, byline, summary, notices, sections, footer, brief = false } = forPrint(document)
  const count = counter()
  const children: Part[] = [
    new Paragraph({ children: [run(kicker.toUpperCase(), { size: 16, color: 'muted' })] }),
    new Paragraph({ heading: HeadingLevel.TITLE, children: [run(title)] }),
    ...(byline ? [new Paragraph({ children: [run(byline, { color: 'muted' })] })] : []),
    ...(summary.length > 0 ? [...writeSummary(summary), gap()] : []),
    ...notices.map(writeNotice),
    ...sections.flatMap(({ title: name, blocks }) => [
      new Paragraph({ heading: HeadingLevel.HEADING_1, children: [run(name)] }),
      ...blocks.flatMap((block) => writeBlock(block, count, brief)),
    ]),
    new Paragraph({
      spacing: { before: brief ? 80 : 240 },
      children: [run(footer, { size: brief ? 14 : 16, color: 'muted' })],
    }),
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
    heading1: heading(brief ? 22 : 28, brief ? 60 : 360),
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

/** Written here because the library would include the time of writing. */
function coreProperties(title: string, kicker: string): string {
  const time = '<dcterms:created xsi:type="dcterms:W3CDTF">1980-01-01T00:00:00Z</dcterms:created>'
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${escapeMarkup(title)}</dc:title><dc:creator>Medloom</dc:creator><dc:description>${escapeMarkup(kicker)}</dc:description>${time}</cp:coreProperties>`
}
