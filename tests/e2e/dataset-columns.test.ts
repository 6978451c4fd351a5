import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Dataset } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'

const caller = new Caller(shared.url)
const workflows = new Workflows(caller)

/*   data (ignored columns) ── train   */
it('a column that a dataset leaves out reaches no model, and leaving out others runs again', async () => {
  const folder = join(dirname(shared.dataset), 'left-out')
  mkdirSync(folder, { recursive: true })
  const csv = join(folder, 'cases.csv')
  cpSync(join(shared.dataset, 'train.csv'), csv)
  const register = async (more: object) => {
    const { status, body } = await caller.post<Dataset>('/api/datasets', {
      path: csv,
      image_root: shared.dataset,
      ...more,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const whole = await register({})
  const known = whole.columns.filter(({ role }) => role === 'numeric' || role === 'categorical')
  const out = known.slice(0, 1).map(({ name }) => name)
  expect((await register({ ignore_columns: out })).dataset_id).toBe(whole.dataset_id)

  const { nodes: model, wires } = tableModel(1)
  const { id, nodes } = await workflows.succeed(
    workflow({ data: ['LoadDataset', { dataset_id: whole.dataset_id }], ...model }, [
      ...wires,
      'data.dataset > train.train_dataset',
    ]),
  )
  const { prepared, run_dir } = await caller.status(String(nodes.train?.job_id))
  const read = [...(prepared?.numeric_columns ?? []), ...(prepared?.categorical_columns ?? [])]
  expect(read.sort()).toEqual(
    known
      .map(({ name }) => name)
      .filter((name) => !out.includes(name))
      .sort(),
  )
  const header = readRows(join(run_dir, 'data/train.csv'))[0]?.map((name) => name.replaceAll('"', ''))
  expect(header).toEqual(expect.arrayContaining(read))
  expect(header).not.toEqual(expect.arrayContaining(out))

  expect((await workflows.plan(id)).data?.action).toBe('reuse')
  await register({})
  expect((await workflows.plan(id)).data?.action).toBe('run')
})
