import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Evaluation, Job, Model } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared, training } from '../testing/shared.js'
import { explain, type Nodes, tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const dataset = shared.dataset
const csv = (name: string) => join(dataset, `${name}.csv`)

/** Trains, and returns a function that evaluates the model. */
async function trained(caller: Caller, data: Nodes, wires: string[]) {
  const model = tableModel(2)
  const nodes = { ...model.nodes, ...data } satisfies Nodes
  const document = workflow(nodes, [...model.wires, ...wires])
  const { nodes: ended } = await new Workflows(caller).succeed(document)
  const { body: job } = await caller.get<Job>(`/api/training/${ended.train?.job_id}/status`)
  return (request: object) =>
    caller.post<Evaluation & { code: string; details: string; issues: { path: string }[] }>(
      `/api/models/${job.model_id}/evaluate`,
      request,
    )
}

describe('a model of images that a workflow trained, evaluated by itself', () => {
  const csv = (name: string) => join(training.dataset, `${name}.csv`)
  // load ─► split ─► train
  let evaluate: Awaited<ReturnType<typeof trained>>
  beforeAll(async () => {
    evaluate = await trained(
      new Caller(training.url),
      {
        backbone: ['SelectBackbone', { model_name: 'mobilenetv3_small' }],
        load: ['LoadTabular', { path: csv('train') }],
        split: ['DataSplit', { train_ratio: 0.8, val_ratio: 0.2, test_ratio: 0, seed: 1 }],
        size: ['ImagePreprocess', { resize: { width: 32, height: 32 } }],
      },
      [
        'load.dataframe > split.dataset',
        'split.train_dataset > size.images',
        'size.processed_images > train.train_dataset',
        'split.val_dataset > train.val_dataset',
      ],
    )
  })

  it('on a table that is named', async () => {
    const { status, body } = await evaluate({ test_csv: csv('test') })
    expect([status, body.num_cases]).toEqual([200, readRows(csv('test')).length - 1])
    expect(body.warnings.map(({ code }) => code)).not.toContain('EVALUATED_ON_TRAINING_DATA')
  })

  it('on the validation table of the graph, which is reported as such', async () => {
    const { status, body } = await evaluate({ split: 'val' })
    expect([status, body.code]).toEqual([200, undefined])
    expect(body.warnings.map(({ code }) => code)).toContain('EVALUATED_ON_TRAINING_DATA')
  })

  it('without a table: no test table is known, and the message names the missing input', async () => {
    const { status, body } = await evaluate({})
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.issues.map(({ path }) => path)).toEqual(['test_csv'])
    expect(body.details).toContain('Set test_csv in the request')
  })
})

// train ─► test ─► plots ─► report
//                                            every real evaluation counts as a look at the test data; a cached result does not
it('what a node evaluates counts as a look at the test data, once per evaluation, and the report states this', async () => {
  const model = tableModel(1)
  const id = await workflows.create(
    workflow(
      {
        ...model.nodes,
        load: ['LoadTabular', { path: csv('train') }],
        held: ['LoadTabular', { path: csv('test') }],
        test: ['EvaluateModel'],
        plots: ['VisualizeResults', { plot_types: ['roc_curve'] }],
        report: ['GenerateReport'],
      },
      [
        ...model.wires,
        'load.dataframe > train.train_dataset',
        'train.trained_model > test.model',
        'held.dataframe > test.test_dataset',
        'test.metrics > plots.metrics',
        'test.confusion_matrix > plots.confusion_matrix',
        'test.metrics > report.metrics',
        'plots.plots > report.plots',
        'model.model_summary > report.model_summary',
      ],
    ),
  )
  const looks = async (force: string[]) => {
    const { nodes } = await workflows.run(id, { force })
    expect(explain(nodes)).toBe('')
    const { body: job } = await caller.get<Job>(`/api/training/${nodes.train?.job_id}/status`)
    const { body } = await caller.get<Model>(`/api/models/${job.model_id}`)
    const report = join(dirname(dirname(job.run_dir)), 'workflows', id, 'reports/report.html')
    const statement = /This model was evaluated \d+ times on test data, of which \d+ on this split\./.exec(
      readFileSync(report, 'utf8'),
    )?.[0]
    return { looks: body.evaluations, statement, summary: nodes.test?.outputs.metrics?.summary }
  }
  const first = await looks([])
  expect(first).toMatchObject({ looks: 1, statement: undefined })
  expect(await looks([])).toEqual(first)
  // The report is not forced: the number of test evaluations is part of its key.
  expect(await looks(['test'])).toEqual({
    looks: 2,
    statement: 'This model was evaluated 2 times on test data, of which 2 on this split.',
    summary: `${first.summary}; evaluation 2 of the model on this data`,
  })
})

// train ─► test
it('what a node evaluates is an evaluation of its model as any other: document, cases and report', async () => {
  const model = tableModel(1)
  const { nodes } = await workflows.succeed(
    workflow(
      {
        ...model.nodes,
        load: ['LoadTabular', { path: csv('train') }],
        held: ['LoadTabular', { path: csv('test') }],
        test: ['EvaluateModel', { save_predictions: false }],
      },
      [
        ...model.wires,
        'load.dataframe > train.train_dataset',
        'train.trained_model > test.model',
        'held.dataframe > test.test_dataset',
      ],
    ),
  )
  const { model_id } = await caller.status(nodes.train?.job_id ?? '')
  const { body: list } = await caller.get<{ evaluations: { evaluation_id: string; num_cases: number }[] }>(
    `/api/models/${model_id}/evaluations`,
  )
  const [{ evaluation_id, num_cases } = { evaluation_id: '', num_cases: 0 }] = list.evaluations
  const url = `/api/evaluations/${evaluation_id}`
  const { body } = await caller.get<{ result: { num_cases: number } }>(url)
  expect(body.result.num_cases).toBe(num_cases)
  expect((await caller.get<{ total: number }>(`${url}/cases`)).body.total).toBe(num_cases)
  expect((await caller.post(`${url}/report`, { formats: ['html'] })).status).toBe(200)
})

// backbone ─► model
it('pretrained weights that changed in their file give another model to train; touched ones do not', async () => {
  const path = join(dirname(dataset), 'pretrained.safetensors')
  const write = (note: string) => {
    const header = JSON.stringify({ __metadata__: { note } })
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(header.length))
    writeFileSync(path, Buffer.concat([length, Buffer.from(header)]))
  }
  write('one')
  const id = await workflows.create(
    workflow(
      {
        backbone: ['SelectBackbone', { model_name: 'resnet18', pretrained: path }],
        fusion: ['SelectFusion'],
        model: ['BuildModel'],
      },
      ['backbone.backbone_config > model.backbone_config', 'fusion.fusion_config > model.fusion_config'],
    ),
  )
  const modelOf = async () => {
    const { nodes } = await workflows.run(id)
    expect(explain(nodes)).toBe('')
    return { status: nodes.model?.status, digest: nodes.model?.outputs.model?.digest }
  }
  const first = await modelOf()
  write('two')
  const second = await modelOf()
  expect(second.status).toBe('success')
  expect(second.digest).not.toBe(first.digest)
  write('two')
  expect(await modelOf()).toEqual({ status: 'cached', digest: second.digest })
})

it('a model that a workflow trained on a table with a split column knows its test rows', async () => {
  const [header = [], ...rows] = readRows(csv('train'))
  const path = join(dirname(dataset), 'parts.csv')
  const part = (row: number) => (row % 4 === 0 ? 'test' : row % 4 === 1 ? 'val' : 'train')
  const patient = header.indexOf('patient_id')
  const patients = [...new Set(rows.map((row) => row[patient]))]
  const parts = rows.map((row) => [...row, part(patients.indexOf(row[patient]))])
  // In the folder of the data, because image paths are relative to it.
  const image = header.indexOf('image')
  const placed = parts.map((row) => row.map((cell, i) => (i === image ? join('synthetic', cell) : cell)))
  writeFileSync(path, `${[[...header, 'split'], ...placed].map((row) => row.join()).join('\n')}\n`)

  const evaluate = await trained(
    caller,
    {
      load: ['LoadTabular', { path }],
      all: ['FilterData', { filter_condition: 'age > 0 or age is missing' }],
    },
    ['load.dataframe > all.dataset', 'all.filtered_dataset > train.train_dataset'],
  )
  const { status, body } = await evaluate({})
  expect([status, body.code]).toEqual([200, undefined])
  expect(body.num_cases).toBe(parts.filter((row) => row.at(-1) === 'test').length)
})
