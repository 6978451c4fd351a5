/** @module-tag documents */
import { expect, it } from 'vitest'
import { readPdf } from '../../testing/read-pdf.js'
import { readZip } from '../../testing/read-zip.js'
import type { ReportDocument } from '../document/document.js'
import { writeHtml } from './html/html.js'
import { writeMarkdown } from './markdown/markdown.js'
import { writePdf } from './pdf/pdf.js'
import { writeWord } from './word/word.js'

const RENDERERS: Record<string, (document: ReportDocument) => Promise<string> | string> = {
  HTML: writeHtml,
  Markdown: (document) => writeMarkdown(document, ''),
  PDF: async (document) => readPdf(await writePdf(document)).text,
  Word: async (document) => String(readZip(await writeWord(document)).get('word/document.xml')?.content),
}

it.each(Object.keys(RENDERERS))('a cell of two lines has both of them in %s', async (format) => {
  const rows = [['AUROC', { text: '0.912', below: '0.853 to 0.957' }]]
  const table = {
    kind: 'table',
    caption: 'Metrics',
    columns: [{ label: 'Metric' }, { label: 'Value' }],
    rows,
  } as const
  const text = await RENDERERS[format]?.({
    ...{ title: 'Report', kicker: '', summary: [], notices: [], footer: '' },
    sections: [{ id: 'metrics', title: 'Metrics', blocks: [table] }],
  })
  const words = text?.replace(/<[^>]*>|[\s\u200b]/g, '')
  expect(words).toContain('0.912')
  expect(words).toContain('0.853to0.957')
})
