import pdfmake, { type Content } from 'pdfmake'
import type { Block, Notice, ReportDocument, Section } from '../../document/document.js'
import { printable } from '../../document/escape.js'
import { forPrint } from '../../document/print-layout.js'
import { FONT_FAMILY, FONT_FILES, FONT_FOLDER, isInFont, printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'
import { writeBlock, writeNotice, writeSummary } from './pdf-blocks.js'
import { MARGIN } from './pdf-page.js'
import { breakable } from './pdf-table.js'

/** Fixed creation time, so that files with the same content have the same bytes. */
const NO_TIME = new Date('1980-01-01T00:00:00Z')

pdfmake.setFonts({ [FONT_FAMILY]: FONT_FILES })
pdfmake.setUrlAccessPolicy(() => false)
pdfmake.setLocalAccessPolicy((path) => path.startsWith(FONT_FOLDER))

/** A4 pages with embedded fonts and vector drawings; nothing is loaded, and text remains text. */
export async function writePdf(document: ReportDocument): Promise<Uint8Array> {
  const { title, kicker, byline, summary, notices, sections, footer, brief = false } = forPrint(document)
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
        { text: breakable(title), fontSize: brief ? 16 : 21, bold: true, margin: [0, 2, 0, brief ? 6 : 10] },
        ...(byline
          ? [{ text: breakable(byline), color: color('muted'), margin: [0, -4, 0, brief ? 6 : 10] }]
          : []),
        ...(summary.length > 0 ? [writeSummary(summary, brief)] : []),
        ...[...notices, ...missingCharacters(document)].map((notice) => writeNotice(notice, brief)),
        ...sections.flatMap((section) => writeSection(section, brief)),
        { text: breakable(footer), fontSize: 7.5, color: color('muted'), margin: [0, brief ? 6 : 18, 0, 0] },
      ],
    })
    .getBuffer()
  return new Uint8Array(buffer)
}

/** Explains once the codes in brackets. */
function missingCharacters(document: ReportDocument): Notice[] {
  if (isInFont(printable(JSON.stringify(document.sections.map(({ blocks }) => blocks.filter(isWords))))))
    return []
  const words =
    'Characters that the font of this file does not contain are printed as their code, such as [U+4E2D].'
  return [
    {
      kind: 'notice',
      tone: 'note',
      title: 'Missing characters.',
      text: `${words} The HTML format shows them.`,
    },
  ]
}

function isWords(block: Block): boolean {
  return block.kind !== 'figures'
}

/** A heading stays on the page of the content that follows it, unless that content is divided itself. */
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
