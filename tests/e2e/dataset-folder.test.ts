import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Dataset } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { MedloomCommand } from '../testing/medloom-command.js'
import { shared } from '../testing/shared.js'
import { explain, tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)
const folder = shared.dataset
const SPLITS = ['train', 'val', 'test'] as const
const rowsOf = (split: string) => readRows(join(folder, `${split}.csv`)).slice(1)
const counts = Object.fromEntries(SPLITS.map((split) => [split, rowsOf(split).length]))
const cases = Object.values(counts).reduce((sum, count) => sum + count)

describe('a folder with train.csv, val.csv, test.csv and images', () => {
  let record: Dataset
  beforeAll(async () => {
    const medloom = new MedloomCommand(folder, { MEDLOOM_URL: shared.url })
    const added = await medloom.run('datasets', 'add', '.', '--name', 'folder', '--json')
    record = JSON.parse(added.stdout)
    const shown = await medloom.run('datasets', 'show', 'folder')
    expect(shown.stdout).toMatch(
      new RegExp(`^splits +train ${counts.train}, val ${counts.val}, test ${counts.test}$`, 'm'),
    )
  })

  it('is one dataset of images and a table, ready to train on', async () => {
    expect(record).toMatchObject({ path: folder, kind: 'multimodal', num_cases: cases, splits: counts })
    expect(record.readiness.status).not.toBe('blocked')
    expect(Object.fromEntries(record.columns.map(({ name, role }) => [name, role]))).toMatchObject({
      image: 'image',
      patient_id: 'patient',
      label: 'label',
      split: 'split',
    })
  })

  // train ─► job ◄─ val       test ─► tested ◄─ job
  it('gives each split to a workflow by its id, which trains and tests on them', async () => {
    const { nodes, wires } = tableModel(1)
    const load = (split: string) =>
      ['LoadDataset', { dataset_id: record.dataset_id, split }] as [string, Record<string, unknown>]
    const id = await workflows.create(
      workflow(
        {
          ...nodes,
          learn: load('train'),
          choose: load('val'),
          hold: load('test'),
          all: load('all'),
          tested: ['EvaluateModel'],
        },
        [
          ...wires,
          'learn.dataset > train.train_dataset',
          'choose.dataset > train.val_dataset',
          'train.trained_model > tested.model',
          'hold.dataset > tested.test_dataset',
        ],
      ),
    )
    const state = await workflows.run(id)
    expect(explain(state.nodes)).toBe('')
    const job = await caller.status(String(state.nodes.train?.job_id))
    expect(job.prepared?.splits).toMatchObject({
      train: { cases: counts.train },
      val: { cases: counts.val },
    })
    expect(state.nodes.tested?.outputs.predictions?.summary).toContain(String(counts.test))
    expect(state.nodes.all?.outputs.dataset?.summary).toContain(`${cases} cases`)
  })
})

describe('a folder with CSVs that are not named as splits', () => {
  const place = join(dirname(folder), 'unnamed')
  beforeAll(() => {
    mkdirSync(join(place, 'images'), { recursive: true })
    for (const image of readdirSync(join(folder, 'images')))
      copyFileSync(join(folder, 'images', image), join(place, 'images', image))
    copyFileSync(join(folder, 'val.csv'), join(place, 'cases.csv'))
  })

  it('is the one that it holds', async () => {
    const { status, body } = await caller.post<Dataset>('/api/datasets', { path: place })
    expect(status).toBe(200)
    expect(body).toMatchObject({ path: place, kind: 'multimodal', num_cases: counts.val, splits: {} })
    const { nodes } = await workflows.succeed(
      workflow({ load: ['LoadDataset', { dataset_id: body.dataset_id }] }),
    )
    expect(nodes.load?.outputs.dataset?.summary).toContain(`${counts.val} cases`)
  })

  it('is refused where it holds several, and they are named', async () => {
    copyFileSync(join(folder, 'test.csv'), join(place, 'more.csv'))
    const before = (await caller.get('/api/datasets')).body
    const { status, body } = await caller.post('/api/datasets', { path: place })
    expect([status, body.code]).toEqual([400, 'DATASET_INVALID'])
    expect(body.error).toContain('cases.csv, more.csv')
    expect(body.details).toContain('train.csv')
    expect((await caller.get('/api/datasets')).body).toEqual(before)
  })
})
