import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { type Nodes, tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)

/** 160 patients with one number that predicts the time, and two that each predict a label. */
function writeTable(): string {
  const path = join(dirname(shared.dataset), 'workflow-outcomes.csv')
  const rows = Array.from({ length: 160 }, (_, row) => {
    const [a, b, c] = [37, 53, 29].map((prime) => ((row * prime) % 101) / 50 - 1) as [number, number, number]
    const days = Math.round(200 * Math.exp(-a) * (0.3 + ((row * 53) % 97) / 97)) + 1
    const end = 40 + ((row * 29) % 300)
    const nodule = row % 17 === 0 ? '' : b + ((row % 7) - 3) / 8 > 0 ? 'yes' : 'no'
    return [`p${row}`, a, b, c, Math.min(days, end), days <= end ? 1 : 0, nodule, c > 0.2 ? 'yes' : 'no']
  })
  const header = ['patient_id', 'a', 'b', 'c', 'days', 'dead', 'nodule', 'effusion']
  writeFileSync(path, `${[header, ...rows].map((row) => row.join()).join('\n')}\n`)
  return path
}

// load ─► split ─► prepare ─► train ─► test ─► plots ─► report
//           └────────────────────────────┘ └─► export
const OUTCOMES: [string, object, string[], string[], RegExp, string[]][] = [
  [
    'survival',
    { time_column: 'days', event_column: 'dead', ignore_columns: ['nodule', 'effusion'] },
    ['uno_c', 'c_index', 'integrated_brier'],
    ['truth_time', 'truth_event', 'risk'],
    /Number at risk/,
    [],
  ],
  [
    'multilabel',
    { label_columns: ['nodule', 'effusion'], ignore_columns: ['days', 'dead'] },
    ['auc', 'f1_score', 'hamming_loss'],
    ['truth_nodule', 'predicted_nodule', 'probability_nodule', 'probability_effusion'],
    /Hamming loss/,
    ['full'],
  ],
]
for (const [task, names, metrics, columns, texts, tags] of OUTCOMES)
  it(`a workflow loads, divides, trains, evaluates, reports and exports ${task}`, {
    tags,
    timeout: 300_000,
  }, async () => {
    const model = tableModel(4)
    const nodes = {
      ...model.nodes,
      load: ['LoadTabular', { path: writeTable(), ...names }],
      split: ['DataSplit', { train_ratio: 0.6, val_ratio: 0.2, test_ratio: 0.2, seed: 1 }],
      prepare: ['TabularPreprocess', { scaling: 'standard' }],
      model: ['BuildModel', { task_type: task }],
      test: ['EvaluateModel', { importance: 2 }],
      plots: ['VisualizeResults'],
      report: ['GenerateReport'],
      export: ['ExportPredictions', { path: `${task}.csv` }],
    } satisfies Nodes
    const { id, nodes: ended } = await workflows.succeed(
      workflow(nodes, [
        ...model.wires,
        'load.dataframe > split.dataset',
        'split.train_dataset > prepare.dataframe',
        'prepare.processed_data > train.train_dataset',
        'split.val_dataset > train.val_dataset',
        'train.trained_model > test.model',
        'split.test_dataset > test.test_dataset',
        'test.metrics > plots.metrics',
        'test.confusion_matrix > plots.confusion_matrix',
        'test.metrics > report.metrics',
        'plots.plots > report.plots',
        'model.model_summary > report.model_summary',
        'test.predictions > export.predictions',
      ]),
    )
    const { body: job } = await caller.get<Job>(`/api/training/${ended.train?.job_id}/status`)
    expect(job.prepared?.task).toBe(task)
    const dataDir = dirname(dirname(job.run_dir))
    const folder = join(dataDir, 'workflows', id)
    const measured = JSON.parse(readFileSync(join(folder, 'metrics/validation.json'), 'utf8'))
    for (const name of metrics) expect(JSON.stringify(measured)).toContain(`"${name}":`)
    expect(readFileSync(join(folder, 'reports/report.html'), 'utf8')).toMatch(texts)
    const header = readFileSync(join(dataDir, 'outputs', `${task}.csv`), 'utf8')
      .split('\n')[0]
      ?.replaceAll('"', '')
      .split(',')
    expect(header).toEqual(expect.arrayContaining(columns))
  })
