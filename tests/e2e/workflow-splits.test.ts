import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)

describe('a set that is trained on whole', () => {
  it('excludes its test rows: the column "split" still determines the training rows', async () => {
    const folder = join(dirname(shared.dataset), 'one-table')
    mkdirSync(folder, { recursive: true })
    const parts = (['train', 'val', 'test'] as const).map((split) => ({
      split,
      rows: readRows(join(shared.dataset, `${split}.csv`)),
    }))
    const header = parts[0]?.rows[0] ?? []
    const lines = parts.flatMap(({ split, rows }) => rows.slice(1).map((row) => [...row, split].join(',')))
    const csv = join(folder, 'all.csv')
    writeFileSync(csv, `${[...header, 'split'].join(',')}\n${lines.join('\n')}\n`)
    const { nodes, wires } = tableModel(1)
    const id = await workflows.create(
      workflow({ data: ['LoadDataset', { dataset_id: csv, split: 'all' }], ...nodes }, [
        ...wires,
        'data.dataset > train.train_dataset',
      ]),
    )
    await workflows.execute(id)
    const state = await workflows.until(id, ({ status }) => ['success', 'error'].includes(status))
    expect(state.status, JSON.stringify(state.nodes)).toBe('success')
    const job = await caller.status(String(state.nodes.train?.job_id))
    const counts = Object.fromEntries(parts.map(({ split, rows }) => [split, rows.length - 1]))
    expect(job.prepared?.split_column).toBe('split')
    expect(job.prepared?.splits.train?.cases).toBe(counts.train)
    expect(job.prepared?.splits.val?.cases).toBe(counts.val)
    expect(readFileSync(join(job.run_dir, 'data/train.csv'), 'utf8')).toContain('split')
  })
})

describe('a split in a file next to the named one', () => {
  it('is read again when that file, or an image that it names, changes', async () => {
    const folder = join(dirname(shared.dataset), 'beside')
    cpSync(shared.dataset, folder, { recursive: true })
    const id = await workflows.create(
      workflow({ data: ['LoadDataset', { dataset_id: join(folder, 'train.csv'), split: 'val' }] }),
    )
    const loaded = async () => (await workflows.run(id)).nodes.data
    const first = await loaded()
    expect(first?.status).toBe('success')
    expect(await loaded()).toMatchObject({ status: 'cached', outputs: first?.outputs })

    const [header = [], ...rows] = readRows(join(folder, 'val.csv'))
    const image = rows[0]?.[header.indexOf('image')] ?? ''
    cpSync(join(folder, rows[1]?.[header.indexOf('image')] ?? ''), join(folder, image))
    expect(await loaded()).toMatchObject({ status: 'success' })

    const remaining = rows.slice(0, rows.length - 5)
    writeFileSync(
      join(folder, 'val.csv'),
      `${[header, ...remaining].map((row) => row.join(',')).join('\n')}\n`,
    )
    const last = await loaded()
    expect(last?.status).toBe('success')
    expect(last?.outputs.dataset?.summary).toContain(`${remaining.length} cases`)
  })
})
