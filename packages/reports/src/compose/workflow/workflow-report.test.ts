/** @module-tag documents */
import { readFileSync } from 'node:fs'
import {
  EvaluationResult,
  isOfTask,
  Job,
  NODES,
  PLOT_TYPES,
  REPORT_SECTIONS,
  WARNINGS,
} from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { baselineOf } from '../../../testing/baseline-of.js'
import { png } from '../../../testing/png.js'
import { readPdf } from '../../../testing/read-pdf.js'
import { readZip } from '../../../testing/read-zip.js'
import { renderedOnce } from '../../../testing/rendered-once.js'
import { toPng } from '../../charts/raster.js'
import { formatMetric } from '../../document/metric-names.js'
import type { EpochRecord, WorkflowReportInput } from '../../report-input.js'
import { RENDERINGS } from '../../thread/renderings.js'
import { drawPlots } from '../plots.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../testing/${name}.json`, import.meta.url), 'utf8'))
const result = (name: string) => ({ ...EvaluationResult.parse(fixture(name)), split: 'test' })
const { epochs: history } = fixture('metrics') as { epochs: EpochRecord[] }
const job = Job.parse(fixture('job'))

const plotted = (evaluation: EvaluationResult) => {
  const { classes, confusion_matrix: matrix } = evaluation
  return drawPlots({ types: PLOT_TYPES, evaluation, matrix: { classes, matrix }, history })
}
/** Drawn once: the tests examine what happens to the plots afterwards. */
const PLOTS = Object.fromEntries(
  ['multiclass', 'binary', 'regression'].map((name) => [name, plotted(result(name))]),
)
it('of a regression are its own, once, whichever plots of classes were asked for', () => {
  const drawn = PLOTS.regression?.plots.map(({ name }) => name)
  expect(drawn).toEqual(['scatter', 'bland-altman', 'learning-curve-loss', 'learning-curve-metrics'])
  expect(PLOTS.regression?.notDrawn).toEqual([])
})
const pick = (name: string, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, result(name).metrics[key] ?? null]))
const input = (name: string, more: Partial<WorkflowReportInput> = {}): WorkflowReportInput => ({
  ...NODES.GenerateReport.config.parse({}),
  evaluation: result(name),
  headline: pick(name, name === 'regression' ? ['mae', 'r2', 'accuracy'] : ['accuracy', 'auc', 'f1_score']),
  training: { job, history, validation: EvaluationResult.parse(fixture('multiclass')), unreadable: [] },
  ...(PLOTS[name] ?? { plots: [], notDrawn: [] }),
  modelFacts: { total_parameters: 11_177_538, layers: [{ layer: 'backbone.conv1', parameters: 9408 }] },
  nodeWarnings: [],
  evaluationCounts: { split: 1, test: 1 },
  workflowName: 'Skin lesions',
  texts: {},
  failureImages: null,
  ...more,
})
const FORMATS = ['PDF', 'Word', 'HTML'] as const
const TEMPLATES = ['standard', 'short'] as const

const render = renderedOnce((given: WorkflowReportInput) => RENDERINGS.workflow(given))
/** Text of a report without whitespace, in any format. */
const words = renderedOnce(async (given: WorkflowReportInput): Promise<string> => {
  const { bytes } = await render(given)
  if (given.format === 'PDF') return readPdf(bytes).text
  const markup =
    given.format === 'Word'
      ? String(readZip(bytes).get('word/document.xml')?.content)
      : Buffer.from(bytes).toString('utf8')
  return plain(markup.replace(/<style>.*?<\/style>/s, ''))
})
const plain = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/&(?:#39|apos);/g, "'")
    .replaceAll('&amp;', '&')
    .replace(/[\s\u200b]/g, '')
const packed = (text: string) => text.replace(/\s/g, '')

/** Text that occurs only in this section. */
const MARKS: Record<(typeof TEMPLATES)[number], Record<(typeof REPORT_SECTIONS)[number], string>> = {
  standard: {
    summary: '160 87 patients',
    performance: 'Each class vs. rest',
    figures: 'Precision-recall curve',
    data: 'Splits: patients, cases',
    model: 'backbone.conv1',
    training: 'Metrics after each epoch',
    limitations: 'Intervals express the sampling uncertainty of 160 cases',
  },
  short: {
    summary: 'resnet18 + gated',
    performance: 'Performance, test split',
    figures: 'Precision-recall curve',
    data: 'Columns with missing values',
    model: 'Pretrained weights',
    training: 'Mixed precision',
    limitations: 'Intervals express the sampling uncertainty of 160 cases',
  },
}

/** Tests of a format. A test of one section writes only this section. */
function defineTests(format: (typeof FORMATS)[number]): void {
  it.each(TEMPLATES)('names the study in its title, in the template %s', async (template) => {
    const title = async (more: Partial<WorkflowReportInput>) =>
      (await words(input('binary', { format, template, include_sections: ['summary'], ...more }))).includes(
        packed('Moles: evaluation on the test split'),
      )
    const authored = { study_title: 'Moles', authors: 'A. Author, B. Writer' }
    expect(await title({ texts: authored, workflowName: 'other' })).toBe(true)
    expect(await title({ workflowName: 'Moles' })).toBe(true)
    const training = { job: { ...job, job_name: 'Moles' }, history, validation: null, unreadable: [] }
    expect(await title({ workflowName: '', training })).toBe(true)
    expect(await title({})).toBe(false)
    expect(
      await words(input('binary', { format, template, include_sections: ['summary'], texts: authored })),
    ).toContain('A.Author,B.Writer')
  })

  it('contains the texts of the authors instead of "not provided"', async () => {
    const texts = { ethics: 'Approved.\nNo. 12/34', limitations: 'One center.' }
    const include_sections: WorkflowReportInput['include_sections'] = ['limitations']
    const text = await words(input('binary', { format, include_sections, texts }))
    expect(text).toMatch(/Ethics:?Approved\.No\.12\/34/)
    expect(text).toMatch(/Furtherlimitations:?Onecenter\./)
    expect(text).toMatch(/Funding:?notprovided/)
    expect(await words(input('binary', { format, include_sections, texts, template: 'short' }))).toContain(
      'Onecenter.',
    )
    expect(await words(input('binary', { format, include_sections }))).toMatch(/Ethics:?notprovided/)
  })

  it.each(TEMPLATES)(
    'shows the images of failure cases when asked to, in the template %s',
    async (template) => {
      const { failures } = result('binary')
      const cases = failures
        .slice(0, 5)
        .map((_, index) => [
          { view: 1, png: png(40 + index, 30) },
          ...(index === 0 ? [{ view: 3, png: png(20, 30) }] : []),
        ])
      const failureImages = { schema_version: 1 as const, num_views: 3, cases }
      const given = input('binary', { format, template, include_sections: ['performance'], failureImages })
      const text = await words(given)
      expect(text).toContain('Modelinputofthefirst5cases')
      for (const { row } of failures.slice(0, 5)) expect(text).toContain(`Row${row}True:`)
      expect(text).toContain('Views1,3of3')
      const { bytes } = await render(given)
      const bare = await render({ ...given, failureImages: null })
      expect(images(format, bytes) - images(format, bare.bytes)).toBe(6)
      const again = await RENDERINGS.workflow(structuredClone(given))
      expect(Buffer.from(again.bytes)).toEqual(Buffer.from(bytes))
    },
  )

  describe.each(TEMPLATES)('in the template "%s"', (template) => {
    it.each(REPORT_SECTIONS)(
      'writes the section "%s" when it is asked for, and then alone',
      async (section) => {
        const text = await words(input('multiclass', { format, template, include_sections: [section] }))
        const here = REPORT_SECTIONS.filter((name) => text.includes(packed(MARKS[template][name])))
        expect(here).toEqual([section])
      },
    )

    it.each(['multiclass', 'binary', 'regression'])(
      'contains the numbers of a %s evaluation unchanged',
      async (name) => {
        const given = input(name, { format, template })
        const text = await words(given)
        const { metrics } = given.evaluation
        const keys = template === 'standard' ? Object.keys(metrics) : Object.keys(given.headline)
        for (const key of keys.filter((one) => isOfTask(given.evaluation.task, one)))
          expect(text).toContain(packed(formatMetric(key, metrics[key])))
        expect(text).toContain(given.evaluation.source.checkpoint_digest)
        expect(text).not.toMatch(/NaN|undefined(?!for)|\[object/)
      },
    )

    it('states the reason for a missing metric and a missing plot', async () => {
      const evaluation = {
        ...result('binary'),
        roc: [],
        metrics: { ...result('binary').metrics, auc: null },
        notes: { auc: 'the cases are of one class only' },
        intervals: {},
      }
      const headline = { accuracy: 0.5, auc: null }
      const text = await words(
        input('binary', { format, template, evaluation, headline, ...plotted(evaluation) }),
      )
      expect(text).toMatch(/AUROC–+thecasesareofoneclassonly/)
      expect(text).toContain(packed('ROC curve: the cases are of one class only.'))
    })

    it('shows of a regression what it has, and nothing of classes', async () => {
      const text = await words(input('regression', { format, template }))
      expect(text).not.toMatch(/Accuracy[–\d]|AUROC[–\d]|ithasnoclasses/)
      expect(text).toContain('MAE')
    })

    it('is the same bytes for the same input', async () => {
      const given = input('binary', { format, template })
      const first = await render(given)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(Buffer.from((await RENDERINGS.workflow(structuredClone(given))).bytes)).toEqual(
        Buffer.from(first.bytes),
      )
    })

    it('is written without the job of the model, and states that it is unknown', async () => {
      const text = await words(input('multiclass', { format, template, training: null }))
      expect(text).toContain(packed('This service has no record of the job that trained this model'))
    })
  })

  it('contains the metrics that the node outputs, also those that the evaluation has only per class', async () => {
    const headline = { recall: 0.6543, precision: null, accuracy: 0.787 }
    for (const template of TEMPLATES) {
      const text = await words(input('multiclass', { format, template, headline }))
      expect(text).toMatch(/Sensitivity\(recall\)0\.654/)
      expect(text).toMatch(/PPV\(precision\)–+notdefinedforeveryclass/)
    }
    const { intervals } = result('binary')
    const two = await words(
      input('binary', { format, headline: { recall: result('binary').metrics.sensitivity ?? null } }),
    )
    expect(two).toContain(
      packed(`Sensitivity (recall) ${formatMetric('sensitivity', intervals.sensitivity?.estimate)}`),
    )
  })

  it('lists a metric once in the table, under one name', async () => {
    const { sensitivity = null } = result('binary').metrics
    const text = await words(
      input('binary', { format, headline: { recall: sensitivity }, include_sections: ['performance'] }),
    )
    expect(text).toMatch(/Sensitivity0\.\d/)
    expect(text).not.toMatch(/Sensitivity\(recall\)0/)
  })

  it('states an accepted leak above every number, whatever sections are chosen', async () => {
    const leaking: Job = {
      ...job,
      config: { ...job.config, data: { ...job.config.data, allow_leakage: true } },
    }
    const evaluation = {
      ...result('binary'),
      warnings: [{ code: 'DATASET_LEAK' as const, message: '3 patients' }],
    }
    const training = { job: leaking, history, validation: null, unreadable: [] }
    const text = await words(
      input('binary', { format, evaluation, training, include_sections: ['performance'] }),
    )
    const notice = text.indexOf(packed('A leak between splits was found and accepted'))
    expect(notice).toBeGreaterThan(0)
    expect(notice).toBeLessThan(text.indexOf('95%CI'))
  })

  it.each(TEMPLATES)('lists each warning of the nodes once, in the template %s', async (template) => {
    const message = '3 patients'
    const evaluation = { ...result('binary'), warnings: [{ code: 'SHARED_PATIENTS' as const, message }] }
    const nodeWarnings = [
      { node: 'load', code: 'FILES_LEFT_OUT' as const, message: '7 rows are left out' },
      { node: 'test', code: 'SHARED_PATIENTS' as const, message },
    ]
    const text = await words(input('binary', { format, template, evaluation, nodeWarnings }))
    const { meaning, remedy } = WARNINGS.FILES_LEFT_OUT
    expect(text).toContain(packed(`${meaning} 7 rows are left out. ${remedy} (FILES_LEFT_OUT, node "load")`))
    expect(text.split(packed(message))).toHaveLength(2)
  })

  it('prints a warning whose code it does not know as it is', async () => {
    const code = 'FROM_A_LATER_VERSION' as 'UNSPECIFIED'
    const evaluation = { ...result('binary'), warnings: [{ code, message: '3 cases glow' }] }
    expect(await words(input('binary', { format, evaluation }))).toContain('FROM_A_LATER_VERSION3casesglow')
  })

  it.each(TEMPLATES)(
    'states the number of evaluations on test data, in the template %s',
    async (template) => {
      const evaluation = { ...result('binary'), split: 'test' }
      const notice = packed('This model was evaluated 4 times on test data, of which 2 on this split.')
      const counted = await words(
        input('binary', { format, template, evaluation, evaluationCounts: { split: 2, test: 4 } }),
      )
      expect(counted).toContain(notice)
      expect(await words(input('binary', { format, template, evaluation }))).not.toContain('timesontestdata')
      if (template === 'standard')
        expect(counted).toMatch(/Evaluationsofthissplit2.*Evaluationsonanytestdata4/)
    },
  )

  it('warns when the cases are those on which the epoch was chosen', async () => {
    const validation = EvaluationResult.parse(fixture('binary'))
    const training = { job, history, validation, unreadable: [] }
    const evaluation = { ...validation, split: 'val' }
    expect(await words(input('binary', { format, evaluation, training }))).toContain(
      'Validationresults,nottestresults.',
    )
    expect(await words(input('binary', { format }))).not.toContain('Validationresults,nottestresults.')
  })

  it('shows names as text, never as markup', async () => {
    const evil = `</w:t><w:p/><script>alert("1")</script>&lt;b&gt; ]]> \u0000\u202e'`
    const given = input('binary', {
      format,
      evaluation: {
        ...result('binary'),
        notes: { accuracy: evil },
        metrics: { accuracy: null, [evil]: 0.5 },
      },
      headline: { [evil]: 0.5 },
      modelFacts: { [evil]: evil, layers: [{ [evil]: evil }] },
      notDrawn: [{ title: evil, reason: evil }],
    })
    const text = await words(given)
    expect(text).toContain(packed(`<script>alert("1")</script>&lt;b&gt;`))
    for (const mark of ['\u0000', '\u202e']) expect(text).not.toContain(mark)
    if (format !== 'PDF') return
    const { bytes } = await render(given)
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/\/(JavaScript|JS|Launch|OpenAction|URI)\b/)
  })
}

describe('a report as HTML', () => defineTests('HTML'))
// All formats render the same document: PDF and Word run all these tests with the tag, and one whole report without it.
describe.each(['PDF', 'Word'] as const)('a report as %s', { tags: ['full'] }, defineTests)

describe.each(['PDF', 'Word'] as const)('a whole report as %s', (format) => {
  const evil = `</w:t><w:p/><script>alert("1")</script>&lt;b&gt; ]]> \u0000\u202e'`
  const evaluation = {
    ...result('multiclass'),
    warnings: [
      { code: 'DATASET_LEAK' as const, message: '3 patients' },
      { code: 'FROM_A_LATER_VERSION' as 'UNSPECIFIED', message: '3 cases glow' },
    ],
  }
  const leaking: Job = {
    ...job,
    config: { ...job.config, data: { ...job.config.data, allow_leakage: true } },
  }
  const cases = evaluation.failures
    .slice(0, 5)
    .map((_, index) => [
      { view: 1, png: png(40 + index, 30) },
      ...(index === 0 ? [{ view: 3, png: png(20, 30) }] : []),
    ])
  const given = input('multiclass', {
    format,
    evaluation,
    headline: { recall: 0.6543, accuracy: 0.787 },
    training: { job: leaking, history, validation: null, unreadable: [] },
    nodeWarnings: [{ node: 'load', code: 'FILES_LEFT_OUT', message: '7 rows are left out' }],
    evaluationCounts: { split: 2, test: 4 },
    texts: { study_title: 'Moles', authors: 'A. Author, B. Writer', ethics: 'Approved.\nNo. 12/34' },
    failureImages: { schema_version: 1, num_views: 3, cases },
    notDrawn: [{ title: evil, reason: evil }],
  })
  const performance: WorkflowReportInput = { ...given, include_sections: ['performance'] }
  let text: string
  beforeAll(async () => {
    text = await words(given)
  })

  it('has every section', () => {
    for (const section of REPORT_SECTIONS) expect(text).toContain(packed(MARKS.standard[section]))
  })

  it('has the numbers of the evaluation and of the node', () => {
    for (const [key, value] of Object.entries(evaluation.metrics))
      if (isOfTask(evaluation.task, key)) expect(text).toContain(packed(formatMetric(key, value)))
    expect(text).toMatch(/Sensitivity\(recall\)0\.654/)
    expect(text).toContain(evaluation.source.checkpoint_digest)
    expect(text).not.toMatch(/NaN|undefined(?!for)|\[object/)
  })

  it('has the texts of the authors', () => {
    expect(text).toContain(packed('Moles: evaluation on the test split'))
    expect(text).toContain('A.Author,B.Writer')
    expect(text).toMatch(/Ethics:?Approved\.No\.12\/34/)
    expect(text).toMatch(/Funding:?notprovided/)
  })

  it('has every warning, and an accepted leak above all numbers', async () => {
    const { meaning, remedy } = WARNINGS.FILES_LEFT_OUT
    expect(text).toContain(packed(`${meaning} 7 rows are left out. ${remedy} (FILES_LEFT_OUT, node "load")`))
    expect(text).toContain('FROM_A_LATER_VERSION3casesglow')
    expect(text).toContain(packed('This model was evaluated 4 times on test data, of which 2 on this split.'))
    const alone = await words(performance)
    const notice = alone.indexOf(packed('A leak between splits was found and accepted'))
    expect(notice).toBeGreaterThan(0)
    expect(notice).toBeLessThan(alone.indexOf('95%CI'))
  })

  it('has the images of failure cases', async () => {
    for (const { row } of evaluation.failures.slice(0, 5)) expect(text).toContain(`Row${row}True:`)
    expect(text).toContain('Views1,3of3')
    const shown = await render(performance)
    const bare = await render({ ...performance, failureImages: null })
    expect(images(format, shown.bytes) - images(format, bare.bytes)).toBe(6)
  })

  it('has names as text, never as markup', async () => {
    expect(text).toContain(packed(`<script>alert("1")</script>&lt;b&gt;`))
    for (const mark of ['\u0000', '\u202e']) expect(text).not.toContain(mark)
    if (format !== 'PDF') return
    const { bytes } = await render(given)
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/\/(JavaScript|JS|Launch|OpenAction|URI)\b/)
  })

  // In every run, "carries no time of its own" below holds this for each format.
  it('is the same bytes for the same input', { tags: ['full'] }, async () => {
    const again = await RENDERINGS.workflow(structuredClone(given))
    expect(Buffer.from(again.bytes)).toEqual(Buffer.from((await render(given)).bytes))
  })
})

/** Pixel images in a file. */
function images(format: (typeof FORMATS)[number], bytes: Uint8Array): number {
  if (format === 'Word') return [...readZip(bytes).keys()].filter((name) => name.endsWith('.png')).length
  const mark = format === 'PDF' ? /\/Subtype \/Image/g : /<img /g
  return Buffer.from(bytes).toString('latin1').match(mark)?.length ?? 0
}

describe('a PDF', () => {
  it('embeds its fonts, carries no time of its own, and keeps the labels of dark cells', async () => {
    const { bytes } = await render(input('binary', { format: 'PDF', include_sections: ['figures'] }))
    const { text, embeddedFonts, times } = readPdf(bytes)
    expect(embeddedFonts).toBeGreaterThan(0)
    expect(times).toEqual(['19800101000000'])
    const matrix = result('binary').confusion_matrix ?? []
    for (const row of matrix) {
      const total = row.reduce((sum, count) => sum + count, 0)
      for (const count of row) expect(text).toContain(`${count}${((100 * count) / total).toFixed(0)}%`)
    }
  })

  it('of the short template is one page (regression)', () => isOnePage('regression'))
  it.each(['multiclass', 'binary'])('of the short template is one page (%s)', { tags: ['full'] }, isOnePage)

  async function isOnePage(name: string): Promise<void> {
    const { bytes } = await render(input(name, { format: 'PDF', template: 'short' }))
    const { pages, text } = readPdf(bytes)
    expect(pages).toBe(1)
    const { evaluation, headline } = input(name)
    for (const key of Object.keys(headline).filter((one) => isOfTask(evaluation.task, one)))
      expect(text).toContain(packed(formatMetric(key, evaluation.metrics[key])))
    if (name === 'regression') expect(text).not.toMatch(/Accuracy[–\d]|AUROC[–\d]|ithasnoclasses/)
  }

  it('of the short template is one page with baselines and their verdict', async () => {
    const evaluation = result('multiclass')
    const baselines = [
      baselineOf(evaluation, 'logistic_regression', 'logistic regression', 'inconclusive', 0.84),
      baselineOf(evaluation, 'random_forest', 'random forest', 'better', 0.71),
    ]
    const short = { template: 'short', evaluation: { ...evaluation, baselines } } as const
    const { bytes } = await render(input('multiclass', { format: 'PDF', ...short }))
    expect(readPdf(bytes).pages).toBe(1)
    const html = await words(input('multiclass', { format: 'HTML', ...short }))
    expect(html).toContain(packed('This model is not significantly different from logistic regression'))
    expect(html).toContain(packed('logistic regression 0.840, random forest 0.710.'))
    expect(html).not.toContain(packed('How the baselines were fitted'))
  })

  it('writes characters that its font lacks as their code, with a note', async () => {
    const evaluation = {
      ...result('binary'),
      notes: { accuracy: '\u4e2d\u6587' },
      metrics: { accuracy: null },
    }
    const text = await words(
      input('binary', { format: 'PDF', evaluation, include_sections: ['performance'] }),
    )
    expect(text).toContain('[U+4E2D][U+6587]')
    expect(text).toContain(packed('Characters that the font of this file does not contain'))
    expect(await words(input('binary', { format: 'PDF', template: 'short' }))).not.toContain('[U+')
  })
})

describe('a Word file', () => {
  let entries: ReturnType<typeof readZip>
  beforeAll(async () => {
    entries = readZip((await render(input('multiclass', { format: 'Word' }))).bytes)
  })

  it('is well-formed in every part and carries no time of its own', () => {
    for (const [name, { content, year }] of entries) {
      expect(year).toBe(1980)
      if (/\.(xml|rels)$/.test(name)) expect(unclosed(content.toString('utf8'))).toEqual([])
    }
    expect(String(entries.get('docProps/core.xml')?.content)).not.toMatch(/20\d\d-/)
  })

  it('fills every row of the summary', async () => {
    for (const headline of [
      ['mae', 'rmse', 'r2', 'bias'],
      ['mae', 'r2'],
      ['mae', 'rmse', 'r2', 'bias', 'spearman'],
    ]) {
      const { bytes } = await render(
        input('regression', {
          format: 'Word',
          include_sections: ['summary'],
          headline: pick('regression', headline),
        }),
      )
      const [, grid = ''] = String(readZip(bytes).get('word/document.xml')?.content).split('<w:tbl>')
      const rows = (grid.split('</w:tbl>')[0] ?? '').split('<w:tr>').slice(1)
      expect(rows).toHaveLength(2)
      for (const row of rows) {
        const spans = [...row.matchAll(/<w:gridSpan w:val="(\d+)"/g)].map(([, span]) => Number(span))
        expect(spans.reduce((sum, span) => sum + span, 0)).toBe(12)
        expect(row.match(/<w:t[ >]/g)?.length).toBeGreaterThanOrEqual(2 * spans.length)
      }
    }
  })

  it('gives every table and cell a width that fits the page', () => {
    const document = String(entries.get('word/document.xml')?.content)
    const tables = document.split('<w:tbl>').slice(1)
    expect(tables.length).toBeGreaterThan(10)
    for (const table of tables) {
      const widths = [...table.matchAll(/<w:gridCol w:w="(\d+)"/g)].map(([, width]) => Number(width))
      expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(11_906 - 2000)
      expect(Math.min(...widths)).toBeGreaterThan(200)
      expect(table.match(/<w:tcW w:type="dxa" w:w="\d+"/g)).toHaveLength(table.match(/<w:tc>/g)?.length ?? 0)
    }
  })

  it('holds each chart as a PNG with words for those who cannot see it', () => {
    const images = [...entries].filter(([name]) => name.startsWith('word/media/'))
    const document = String(entries.get('word/document.xml')?.content)
    expect(images).toHaveLength(6)
    for (const [, { content }] of images) expect(content.subarray(1, 4).toString()).toBe('PNG')
    expect(document.match(/<wp:docPr [^>]*descr="[^"]{20,}"/g)).toHaveLength(6)
    const ids = [...document.matchAll(/<wp:docPr [^>]*\bid="(\d+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(6)
  })
})

describe('an HTML report', () => {
  it('takes in no drawing that was not drawn here', async () => {
    const { plots } = plotted(result('binary'))
    const own = plots[0]?.svg ?? ''
    const strange = [
      own.replace('</svg>', '<script>alert(1)</script></svg>'),
      own.replace('<title', '<foreignObject></foreignObject><title'),
      own.replace('<path', '<path onload="alert(1)"'),
      own.replace('<path', '<path style="background:url(//x)"'),
      own.replace('</svg>', '<use href="//x/y.svg#z"/></svg>'),
      '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>',
    ].map((svg) => ({ title: 'A plot', svg }))
    const given = input('binary', { plots: strange, include_sections: ['figures'] })
    const html = Buffer.from((await render(given)).bytes).toString('utf8')
    expect(html).not.toMatch(/<script|foreignObject|onload|\/\/x/)
    expect(html.match(/A plot: the file is not a chart of this software\./g)).toHaveLength(strange.length)
  })
})

describe('plots', () => {
  it.each([
    ['confusion_matrix', ['confusion-matrix']],
    ['roc_curve', ['roc']],
    ['pr_curve', ['pr']],
    ['learning_curve', ['learning-curve-loss', 'learning-curve-metrics']],
  ] as const)('%s is drawn alone when it alone is asked for', (type, names) => {
    const evaluation = result('multiclass')
    const { classes, confusion_matrix: matrix } = evaluation
    const { plots, notDrawn } = drawPlots({ types: [type], evaluation, matrix: { classes, matrix }, history })
    expect(plots.map(({ name }) => name)).toEqual(names)
    expect(notDrawn).toEqual([])
  })

  it('are drawn from the matrix that arrives', () => {
    const evaluation = result('binary')
    const matrix = {
      classes: ['a', 'b'],
      matrix: [
        [4321, 1],
        [2, 3],
      ],
    }
    const { plots } = drawPlots({ types: ['confusion_matrix'], evaluation, matrix, history: null })
    expect(plots[0]?.svg).toContain('>4321<')
  })

  it('that are not defined give a reason and no empty image', () => {
    const given = (more: Partial<EvaluationResult>, epochs: EpochRecord[] | null) =>
      drawPlots({
        types: PLOT_TYPES,
        evaluation: { ...result('binary'), ...more },
        matrix: { classes: null, matrix: null },
        history: epochs,
      })
    const oneClass = 'only one class is present'
    const { plots, notDrawn } = given({ roc: null, pr: [], notes: { auc: oneClass } }, null)
    expect(plots).toEqual([])
    expect(notDrawn).toEqual([
      { title: 'Confusion matrix', reason: 'the evaluation does not contain this curve' },
      { title: 'ROC curve', reason: oneClass },
      { title: 'Precision-recall curve', reason: oneClass },
      { title: 'Learning curve', reason: 'no training history is connected' },
    ])
    expect(given({}, []).notDrawn.at(-1)?.reason).toBe(
      'the training history contains neither a loss nor a validation metric',
    )
  })

  it('are the same pixels every time, at twice their size', () => {
    const svg = plotted(result('binary')).plots[0]?.svg ?? ''
    const [, width = 0] = /viewBox="0 0 (\d+)/.exec(svg) ?? []
    const png = Buffer.from(toPng(svg))
    expect(png.readUInt32BE(16)).toBe(2 * Number(width))
    expect(Buffer.from(toPng(svg))).toEqual(png)
  })
})

/** Elements that are not closed, or are closed without being opened. */
function unclosed(xml: string): string[] {
  const open: string[] = []
  for (const [tag, close, name = ''] of xml
    .replace(/<\?.*?\?>/g, '')
    .matchAll(/<(\/?)([^\s/>]+)(?:"[^"]*"|[^">])*>/g)) {
    if (tag.endsWith('/>')) continue
    if (!close) open.push(name)
    else if (open.pop() !== name) return [`</${name}>`]
  }
  return open
}
