/** @module-tag service */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Blob,
  EvaluationResult,
  type Inspection,
  Job,
  NODES,
  type NodeContent,
} from '@medloom/contracts'
import type { ImplicitRequest, Task } from '@medloom/workflow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../../../../../reports/testing/png.js'
import { readPdf } from '../../../../../reports/testing/read-pdf.js'
import { readZip } from '../../../../../reports/testing/read-zip.js'
import { migratedFile } from '../../../../testing/migrated-file.js'
import { ANYONE } from '../../../../testing/people.js'
import { type Database, openDatabase } from '../../../database/database.js'
import { DatasetsRepository } from '../../../datasets/datasets.repository.js'
import { ModelsRepository } from '../../../models/models.repository.js'
import { openOutputFolder } from '../../../security/output-folder.js'
import { createRoots } from '../../../security/roots.js'
import { RunDirectory } from '../../../storage/run-directory.js'
import { StoredPaths } from '../../../training/configuration/stored-paths.js'
import { TrainingRepository } from '../../../training/training.repository.js'
import { ArtifactStore } from '../../cache/artifact-store.js'
import type { ExecutionContext, NodeResult } from '../executor.js'
import { supplyImplicit } from '../implicit-inputs.js'
import { generateReport } from './generate-report.js'
import { visualizeResults } from './visualize-results.js'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../../../reports/testing/${name}.json`, import.meta.url), 'utf8')
const job = Job.parse(JSON.parse(fixture('job')))

const base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-report-nodes-')))
const root = join(base, 'root')
const store = new ArtifactStore(join(base, 'data', 'artifacts'))
let database: Database
let context: ExecutionContext
beforeAll(async () => {
  for (const folder of [root, join(base, 'data', 'runs', job.job_id, 'metrics')])
    mkdirSync(folder, { recursive: true })
  database = await openDatabase(await migratedFile(join(base, 'data', 'medloom.db')))
  const roots = createRoots([root], join(base, 'data'))
  const repository = new TrainingRepository(database, new StoredPaths(roots.named))
  const { job_id, job_name, config, total_epochs, epoch, resumed_from, fine_tuned_from, created_at } = job
  await repository.insert({
    job_id,
    job_name,
    config,
    total_epochs,
    epoch,
    resumed_from,
    fine_tuned_from,
    created_at,
  })
  await repository.update(
    { job_id: job.job_id, status: 'started' },
    { status: 'completed', prepared: job.prepared, best: job.best, epoch: job.epoch, model_id: job.model_id },
  )
  const folder = {
    path: join(base, 'data'),
    run: (id: string) => new RunDirectory(join(base, 'data', 'runs', id)),
  }
  context = {
    service: { folder, database, roots, outputs: await openOutputFolder(null, join(base, 'data')) },
    store,
  } as unknown as ExecutionContext
})
afterAll(() => database.destroy())

/** Output of EvaluateModel for this fixture and a checkpoint of the job, with the document as the trainer writes it. */
async function evaluation(name: string) {
  const result: EvaluationResult = JSON.parse(fixture(name))
  const source = { ...result.source, checkpoint: `runs/${job.job_id}/checkpoints/best` }
  const document = await store.put(JSON.stringify({ ...result, split: 'test', source }), '.json')
  const { classes, confusion_matrix: matrix } = result
  return {
    metrics: { content: 'evaluation', document, metrics: { accuracy: result.metrics.accuracy ?? null } },
    confusion_matrix: { content: 'confusion_matrix', classes, matrix },
  } as const
}
const history = async () =>
  ({ content: 'history', document: await store.put(fixture('metrics'), '.json'), metrics: {} }) as const

function task<Config>(
  node: string,
  config: Config,
  inputs: Record<string, NodeContent | undefined>,
  warn: Task['warn'] = () => undefined,
): Task<Config> {
  const arrived = Object.entries(inputs).flatMap(([port, content]) =>
    content ? [[port, [{ value: { content }, from: { node: 'n', port } }]]] : [],
  )
  return {
    node,
    type: 'any',
    config,
    inputs: Object.fromEntries(arrived),
    log: () => undefined,
    warn,
    progress: () => undefined,
    job: () => undefined,
    cancellation: {},
  } as unknown as Task<Config>
}
const plots = (config: object, inputs: Record<string, NodeContent | undefined>, warn?: Task['warn']) =>
  visualizeResults(task('plots', NODES.VisualizeResults.config.parse(config), inputs, warn), context)
/** Plots of an evaluation with its history, drawn once: most of the time of a report is drawing. */
const drawn = new Map<string, Promise<NodeResult>>()
function plotsOf(name: string): Promise<NodeResult> {
  const found =
    drawn.get(name) ??
    (async () =>
      (await plots({}, { ...(await evaluation(name)), training_history: await history() })).plots)()
  drawn.set(name, found)
  return found
}
const filesOf = ({ content }: NodeResult) => content as Extract<NodeContent, { content: 'files' }>
const bytesOf = (blob: Blob) => store.read(blob)

describe('VisualizeResults', () => {
  it('stores every plot as SVG and PNG, among the artifacts if no folder is named', async () => {
    const value = filesOf(await plotsOf('binary'))
    const names = ['confusion-matrix', 'roc', 'pr', 'learning-curve-loss', 'learning-curve-metrics']
    expect(value.files.map(({ path }) => path)).toEqual(
      names.flatMap((name) => [`artifacts/plots/${name}.svg`, `artifacts/plots/${name}.png`]),
    )
    expect(value.not_made).toBeUndefined()
    for (const { blob } of value.files) expect(await bytesOf(blob)).not.toHaveLength(0)
  })

  it.each([
    ['a relative folder starts at the output folder', 'mine/run 1', 'mine/run 1/roc.svg'],
    ['an absolute one inside it', join(base, 'data/outputs/plots'), 'plots/roc.svg'],
    ['the output folder itself', '.', 'roc.svg'],
  ])('save_path: %s', async (_, save_path, path) => {
    const { plots: value } = await plots({ plot_types: ['roc_curve'], save_path }, await evaluation('binary'))
    expect(filesOf(value).files[0]).toMatchObject({ path, below: 'outputs' })
  })

  it.each(['/etc/plots', '../../outside', '..', join(root, 'plots')])(
    'save_path: %s is refused',
    async (save_path) => {
      await expect(plots({ save_path }, await evaluation('binary'))).rejects.toMatchObject({
        code: 'PATH_NOT_ALLOWED',
      })
    },
  )

  it('gives the reason for an undefined plot in value, summary and warning, and draws those of a regression', async () => {
    const messages: string[] = []
    const { plots: value } = await plots({}, await evaluation('regression'), (code, message) =>
      messages.push(`${code}: ${message}`),
    )
    const drawn = filesOf(value).files.map(({ path }) => path)
    expect(drawn).toEqual(
      ['scatter', 'bland-altman'].flatMap((name) => [
        `artifacts/plots/${name}.svg`,
        `artifacts/plots/${name}.png`,
      ]),
    )
    expect(filesOf(value).not_made?.map(({ title }) => title)).toEqual(['Learning curve'])
    expect(value.summary).toBe('2 plots, 1 not defined')
    expect(messages).toEqual(['PLOT_NOT_DRAWN: Learning curve not drawn: no training history is connected'])
  })

  it('returns the same value for the same input', async () => {
    const again = await plots({}, { ...(await evaluation('multiclass')), training_history: await history() })
    expect(again.plots).toEqual(await plotsOf('multiclass'))
  })

  it('refuses an invalid document, and a history in its place', async () => {
    const { metrics, confusion_matrix } = await evaluation('binary')
    const broken = { ...metrics, document: await store.put('{"epochs"', '.json') }
    for (const wrong of [broken, await history()])
      await expect(plots({}, { metrics: wrong, confusion_matrix })).rejects.toMatchObject({
        code: 'NODE_FAILED',
      })
  })
})

describe('GenerateReport', () => {
  const summary = {
    content: 'config',
    settings: {},
    facts: { parameters: 11_177_538, layers: [{ layer: 'backbone.conv1', parameters: 9408 }] },
  } as const
  const implicit = async (
    { inputs }: Pick<Task, 'inputs'>,
    nodesAbove: ImplicitRequest['nodesAbove'] = [],
  ) => {
    const supply = supplyImplicit(context)
    const warningsAbove = [{ node: 'load', code: 'FILES_LEFT_OUT', message: '7 cases are left out' }] as const
    const values: Record<string, unknown> = {}
    for (const name of NODES.GenerateReport.implicit_inputs)
      values[name] = await supply(name, { inputs, warningsAbove, nodesAbove, workflowName: 'Skin lesions' })
    return values
  }
  const report = async (
    config: object,
    name = 'binary',
    node = 'report',
    nodesAbove: ImplicitRequest['nodesAbove'] = [],
    ofMetrics: object = {},
  ) => {
    const inputs = await evaluation(name)
    const { content: plotFiles } = await plotsOf(name)
    const given = task(node, NODES.GenerateReport.config.parse(config), {
      metrics: { ...inputs.metrics, ...ofMetrics },
      plots: plotFiles,
      model_summary: summary,
    })
    return generateReport({ ...given, implicit: await implicit(given, nodesAbove) }, context)
  }

  it.each([
    ['HTML', 'reports/report.html', (bytes: Buffer) => bytes.toString('utf8')],
    ['PDF', 'reports/report.pdf', (bytes: Buffer) => readPdf(bytes).text],
    [
      'Word',
      'reports/report.docx',
      (bytes: Buffer) => String(readZip(bytes).get('word/document.xml')?.content),
    ],
  ] as const)('writes %s to %s, with what the job of the checkpoint knows', async (format, path, read) => {
    const { report_path: value } = await report({ format })
    const [file] = filesOf(value).files
    expect(value.summary).toBe(path)
    expect(file?.path).toBe(path)
    const text = read(file ? await bytesOf(file.blob) : Buffer.of())
    for (const known of ['backbone.conv1', job.job_id, 'resnet18_gated_001', 'ROC'])
      expect(text).toContain(known)
    expect(text).not.toContain(base)
    // 8 cases of site C, of which 2 have the event.
    expect(/site:C8(..)/.exec(text.replaceAll(/<[^>]*>|\s/g, ''))?.[1]).toBe('––')
  })

  it('shows the texts of the datasets above, and those of the node first', async () => {
    const datasets = new DatasetsRepository(database)
    const path = join(root, 'study.csv')
    writeFileSync(path, 'label\n1\n')
    const inspection = { path, columns: [], missing: {} } as unknown as Inspection
    const request = {
      image_root: null,
      roles: {},
      ignore_columns: [],
      positive_class_named: false,
      slices: null,
    }
    const texts = { ethics: 'of the dataset', funding: 'of the dataset' }
    const { dataset_id } = await datasets.save(inspection, { report: texts }, request, ANYONE)
    const arrived = task('report', {}, { metrics: (await evaluation('binary')).metrics })
    const shown = async (type: string, config: object) =>
      (await implicit(arrived, [{ type, config: { ...config } }])).dataset_texts
    expect(await shown('LoadDataset', { dataset_id })).toEqual(texts)
    expect(await shown('LoadDataset', { dataset_id: path })).toEqual(texts)
    expect(await shown('LoadTabular', { path: 'study.csv' })).toEqual(texts)
    expect(await shown('LoadTabular', { path: 'gone.csv' })).toEqual({})

    const page = async (config: object, nodesAbove: ImplicitRequest['nodesAbove'] = []) => {
      const [file] = filesOf((await report(config, 'binary', 'report', nodesAbove)).report_path).files
      return String(file && (await bytesOf(file.blob)))
    }
    const above = [{ type: 'LoadDataset', config: { dataset_id } }]
    const html = await page({ report: { ethics: 'of the node', study_title: 'Moles' } }, above)
    expect(html).toContain('<h1>Moles: evaluation on the test split</h1>')
    expect(html).toMatch(/Ethics<\/strong><\/p><p>of the node</)
    expect(html).toMatch(/Funding<\/strong><\/p><p>of the dataset</)
    expect(await page({})).toContain('<h1>Skin lesions: evaluation on the test split</h1>')
  })

  it('shows images of failure cases if its field is set', async () => {
    const images = { schema_version: 1, num_views: 1, cases: [[{ view: 1, png: png(3, 2) }]] }
    const artifacts = { failure_images: await store.put(JSON.stringify(images), '.json') }
    const page = async (config: object, more: object) => {
      const [file] = filesOf((await report(config, 'binary', 'report', [], more)).report_path).files
      return String(file && (await bytesOf(file.blob)))
    }
    expect(await page({}, artifacts)).not.toContain('<img')
    expect(await page({ with_images: true }, artifacts)).toContain('<img src="data:image/png;base64,')
    expect(await page({ with_images: true }, {})).toContain('The model does not read images')
  })

  it('returns the same value for the same input, whatever ran before', async () => {
    const first = await report({ format: 'PDF', template: 'short' }, 'multiclass')
    await report({ format: 'PDF', include_sections: ['performance'] })
    expect(await report({ format: 'PDF', template: 'short' }, 'multiclass')).toEqual(first)
  })

  it('has implicit inputs that stay the same until the model is evaluated again', async () => {
    const arrived = task('report', {}, { metrics: (await evaluation('binary')).metrics })
    const models = new ModelsRepository(database)
    const evaluate = async () => {
      const { source } = EvaluationResult.parse(JSON.parse(fixture('binary')))
      const stored = { evaluation_id: randomUUID(), model_id: job.model_id ?? '', split: 'test' }
      await models.addEvaluation(stored, source)
    }
    await database.transaction().execute(async (transaction) => {
      const created_at = job.created_at
      await transaction
        .insertInto('models')
        .values({ model_id: job.model_id ?? '', job_id: job.job_id, record: '{}', created_at })
        .execute()
    })
    await evaluate()
    const first = await implicit(arrived)
    expect(first).toMatchObject({
      evaluation_counts: { split: 1, test: 1 },
      training_record: { job: { job_id: job.job_id } },
      warnings_above: [{ node: 'load' }],
    })
    const repository = new TrainingRepository(
      database,
      new StoredPaths(createRoots([root], join(base, 'data')).named),
    )
    await repository.update(
      { job_id: job.job_id, status: 'completed' },
      { report_path: '/somewhere/report.html' },
    )
    expect(await implicit(arrived)).toEqual(first)
    await evaluate()
    expect(await implicit(arrived)).toEqual({ ...first, evaluation_counts: { split: 2, test: 2 } })
  })

  it('writes the reports of two nodes separately, whatever their ids', async () => {
    const paths = await Promise.all(
      ['../../a', '.. .. a', 'report-2'].map(
        async (node) =>
          (await report({ include_sections: ['performance'] }, 'binary', node)).report_path.summary,
      ),
    )
    expect(new Set(paths).size).toBe(3)
    for (const path of paths) expect(path).toMatch(/^reports\/[\w.-]+\.html$/)
  })

  it('of a regression draws each of its plots once', async () => {
    const { report_path } = await report({ include_sections: ['figures'] }, 'regression')
    const [file] = filesOf(report_path).files
    const page = String(file && (await bytesOf(file.blob)))
    expect(page).not.toContain('a regression has no classes')
    // Scatter plot, Bland–Altman plot, and two learning curves.
    expect(page.match(/<figure/g)).toHaveLength(4)
    expect(page).toContain('Bland–Altman plot')
  })
})
