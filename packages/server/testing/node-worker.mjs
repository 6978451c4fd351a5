#!/usr/bin/env node
// Small versions of the trainer's two programs, so that tests of workflow runs take milliseconds: `prewarmed` is trainer.mjs, `worker`
// computes nodes on lines of text and appends each computed node to <cache>/computed.log. A FilterData condition is a list of words:
//   keep=TEXT    lines that contain TEXT        wait=MS      takes this long, and reports progress
//   fail         ends with an error and a trace crash        the process ends
//   until=FILE   fails until FILE exists        forever      never ends
//   hold=FILE    starts once FILE exists
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const NODES = {
  LoadTabular: (params) => ({
    dataframe: cases(params, readFileSync(resolve(params.roots[0], params.config.path), 'utf8')),
    columns: { content: { content: 'config', settings: {}, facts: {} }, summary: 'columns' },
  }),
  LoadDataset: (params) => ({
    dataset: cases(params, readFileSync(params.config.dataset.path, 'utf8')),
    metadata: { content: { content: 'config', settings: {}, facts: {} }, summary: 'columns' },
  }),
  FilterData: async (params, reply) => ({
    filtered_dataset: cases(params, await filtered(params, reply)),
  }),
  DataSplit: (params) => {
    const text = textOf(params, 'dataset')
    return {
      train_dataset: cases(params, text, 'train'),
      val_dataset: cases(params, text, 'val'),
      test_dataset: cases(params, text, 'test'),
    }
  },
  BuildModel: ({ inputs }) => ({
    model: {
      content: {
        content: 'model_plan',
        settings: { ...inputs.backbone_config[0].settings, ...inputs.fusion_config[0].settings },
        num_classes: null,
        task: 'classification',
      },
      summary: 'a model',
    },
    model_summary: {
      content: { content: 'config', settings: {}, facts: { parameters: 1 } },
      summary: '1 parameter',
    },
  }),
}

async function filtered(params, reply) {
  const words = new Map(params.config.filter_condition.split(' ').map((word) => word.split('=')))
  if (words.has('crash')) process.exit(7)
  if (words.has('forever')) await delay(600_000)
  while (words.has('hold') && !existsSync(words.get('hold'))) await delay(5)
  const wait = Number(words.get('wait') ?? 0)
  for (let step = 1; step <= 4 && wait > 0; step++) {
    await delay(wait / 4)
    reply({ type: 'progress', fraction: step / 4, message: `part ${step}` })
  }
  if (words.has('fail')) throw new Error('at character 1: not understood')
  if (words.has('until') && !existsSync(words.get('until'))) throw new Error('it is not there yet')
  const [header, ...rows] = textOf(params, 'dataset').split('\n')
  return [header, ...rows.filter((row) => row.includes(words.get('keep') ?? ''))].join('\n')
}

function textOf({ store, inputs }, port) {
  const { table } = inputs[port][0]
  return readFileSync(join(store, table.sha256.slice(0, 2), table.sha256 + table.suffix), 'utf8')
}

function cases({ store }, given, split = 'all') {
  const text = withQuotedHeader(given)
  const sha256 = createHash('sha256').update(text).digest('hex')
  mkdirSync(join(store, sha256.slice(0, 2)), { recursive: true })
  writeFileSync(join(store, sha256.slice(0, 2), `${sha256}.csv`), text)
  const rows = text.trimEnd().split('\n').length - 1
  const content = {
    content: 'cases',
    table: { sha256, suffix: '.csv', size_bytes: Buffer.byteLength(text) },
    num_cases: rows,
    num_patients: null,
    image_columns: [],
    label_column: 'label',
    patient_column: null,
    feature_columns: ['age'],
    task: 'classification',
    classes: ['no', 'yes'],
    images_digest: null,
    split,
    settings: {},
    lineage: [{ sha256, step: 'test', split }],
    split_of: null,
  }
  return { content, summary: `${rows} cases` }
}

/** The header as the trainer writes it. */
function withQuotedHeader(text) {
  const [header = '', ...rows] = text.split('\n')
  return header.startsWith('"') ? text : [`"${header.replaceAll(',', '","')}"`, ...rows].join('\n')
}

/** Cells that end like images. */
function namedImages({ path }) {
  const cells = readFileSync(path, 'utf8').split(/[\n,]/)
  return [{ folder: '', names: cells.filter((cell) => cell.endsWith('.png')) }]
}

if (process.argv.includes('prewarmed')) await import('./training/trainer.mjs')
else
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, task, params } = JSON.parse(line)
    const reply = (message) => process.stdout.write(`${JSON.stringify({ id, ...message })}\n`)
    if (task === 'probe') {
      const result = { python_version: '3', pytorch_version: '2', packages: {}, cuda: [], mps: false }
      reply({ type: 'result', result })
      continue
    }
    if (task === 'software') {
      const versions = {
        medloom_trainer: '0.1.0',
        torch: process.env.TORCH_VERSION_OF_TESTS ?? '2.9.1',
        numpy: '2.0',
      }
      reply({ type: 'result', result: versions })
      continue
    }
    if (task === 'named_images') {
      reply({ type: 'result', result: { tables: params.tables.map(namedImages), undecided: [] } })
      continue
    }
    appendFileSync(join(params.cache_dir, 'computed.log'), `${params.type}\n`)
    try {
      const outputs = await NODES[params.type](params, reply)
      reply({ type: 'result', result: { outputs, warnings: [] } })
    } catch (error) {
      const message = {
        code: 'FILTER_INVALID',
        message: error.message,
        details: 'Correct it.',
        trace: 'Traceback: line 1',
      }
      reply({ type: 'error', ...message })
    }
  }
