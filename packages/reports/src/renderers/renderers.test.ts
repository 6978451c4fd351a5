/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { EvaluationResult, Job } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { readPdf } from '../../testing/read-pdf.js'
import { readZip } from '../../testing/read-zip.js'
import { composeReport } from '../compose/run-report.js'
import { numeric, type ReportDocument, table } from '../document/document.js'
import { writeHtml } from './html/html.js'
import { writeMarkdown } from './markdown/markdown.js'
import { writePdf } from './pdf/pdf.js'
import { writeWord } from './word/word.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../testing/${name}.json`, import.meta.url), 'utf8'))
const evaluation = { evaluation_id: 'e1', evaluated_at: '2026-11-20T21:00:00.000Z', test_evaluations: 1 }
const report = () =>
  composeReport({
    ...{ job: Job.parse(fixture('job')), model: null, checkpoints: [], moreCheckpoints: 0, validation: null },
    ...{ history: [], heldOut: null, evaluations: [], unreadable: [], texts: {}, failureImages: null },
    subject: { ...evaluation, result: EvaluationResult.parse(fixture('use-binary')) },
  })

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M0 0h10v10z"/></svg>'
const RENDERERS: Record<string, (document: ReportDocument) => Promise<string> | string> = {
  HTML: writeHtml,
  Markdown: (document) => writeMarkdown(document, ''),
  PDF: async (document) => readPdf(await writePdf(document)).text,
  Word: async (document) => String(readZip(await writeWord(document)).get('word/document.xml')?.content),
}

it.each(Object.keys(RENDERERS))('a cell of two lines has both of them in %s', async (format) => {
  const rows = [['AUROC', { text: '0.912', below: '0.853 to 0.957' }]]
  const metrics = {
    kind: 'table',
    caption: 'Metrics',
    columns: [{ label: 'Metric' }, { label: 'Value' }],
    rows,
  } as const
  const text = await RENDERERS[format]?.({
    ...{ title: 'Report', kicker: '', summary: [], notices: [], footer: '' },
    sections: [{ id: 'metrics', title: 'Metrics', blocks: [metrics] }],
  })
  const words = text?.replace(/<[^>]*>|[\s\u200b]/g, '')
  expect(words).toContain('0.912')
  expect(words).toContain('0.853to0.957')
})

const chart = {
  ...{ name: 'curve', title: 'Curve', description: 'A curve.' },
  ...{ inline: '<svg viewBox="0 0 10 10"></svg>', standalone: SVG },
}
const figure = {
  kind: 'figures',
  figures: [
    {
      chart,
      table: table(
        'Points',
        [numeric('Threshold'), numeric('Model')],
        [['0.125', '0.0375']],
        ['All points.'],
      ),
    },
  ],
} as const

it.each(Object.keys(RENDERERS))('the numbers of a figure are in %s', async (format) => {
  const text = await RENDERERS[format]?.({
    ...{ title: 'Report', kicker: '', summary: [], notices: [], footer: '' },
    sections: [{ id: 'use', title: 'Use', blocks: [figure] }],
  })
  const words = text?.replace(/<[^>]*>|[\s\u200b]/g, '')
  for (const number of ['0.125', '0.0375', 'Allpoints.']) expect(words).toContain(number)
})

it.each(['PDF', 'Word'])(
  'every number of the figures and tables of a report in Markdown is in %s',
  async (format) => {
    const whole = report()
    const drawn = whole.sections.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'figures'))
    const document = { ...whole, sections: drawn }
    const numbers = new Set(writeMarkdown(document, '').match(/[−+]?\d+(?:\.\d+)?/g))
    const text = (await RENDERERS[format]?.(document))?.replace(/<[^>]*>|[\s\u200b]/g, '') ?? ''
    expect(numbers.size).toBeGreaterThan(100)
    expect([...numbers].filter((number) => !text.includes(number))).toEqual([])
  },
  120_000,
)
