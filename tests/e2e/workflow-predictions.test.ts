import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { type Nodes, statuses, tableModel, Workflows, workflow } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(shared.url))
const train = join(shared.dataset, 'train.csv')
const test = join(shared.dataset, 'test.csv')
const model = tableModel(1)

/** Cases of the test split without their labels. */
function unlabeled(): string {
  const [header = [], ...rows] = readRows(test)
  const kept = header.flatMap((name, index) => (['label', 'image'].includes(name) ? [] : [index]))
  const path = join(dirname(shared.dataset), 'unlabeled.csv')
  const lines = [header, ...rows].map((cells) => kept.map((index) => cells[index]).join(','))
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function trained(seed: number, more: Nodes = {}, wires: string[] = []) {
  const nodes = { ...model.nodes, load: ['LoadTabular', { path: train }], ...more } satisfies Nodes
  const split = ['DataSplit', { train_ratio: 0.8, val_ratio: 0.2, test_ratio: 0, seed }] as const
  const { nodes: ended } = await workflows.succeed(
    workflow({ ...nodes, split: [...split] }, [
      ...model.wires,
      'load.dataframe > split.dataset',
      'split.train_dataset > train.train_dataset',
      'split.val_dataset > train.val_dataset',
      ...wires,
    ]),
  )
  return ended
}

it('a model predicts cases without labels, connected or by its alias, and again once the alias names another model', async () => {
  const cases = unlabeled()
  const ended = await trained(1, { new: ['LoadTabular', { path: cases }], predict: ['PredictCases'] }, [
    'train.trained_model > predict.model',
    'new.dataframe > predict.cases',
  ])
  const count = readRows(cases).length - 1
  expect(ended.predict?.outputs.predictions?.summary).toBe(`${count} predictions`)
  expect((ended.predict?.warnings ?? []).map(({ code }) => code)).not.toContain('PREDICTED_TRAINING_CASES')

  const id = await workflows.create(
    workflow(
      {
        new: ['LoadTabular', { path: cases }],
        predict: ['PredictCases', { model_id: 'latest' }],
        export: ['ExportPredictions', { format: 'JSON' }],
      },
      ['new.dataframe > predict.cases', 'predict.predictions > export.predictions'],
    ),
  )
  expect((await workflows.get(id)).issues).toEqual([])
  const first = await workflows.run(id)
  expect(first.status).toBe('success')
  expect(first.nodes.predict?.outputs.predictions?.digest).toBe(ended.predict?.outputs.predictions?.digest)
  const [file] = first.nodes.export?.outputs.export_path?.files ?? []
  const rows = JSON.parse(readFileSync(file ?? '', 'utf8'))
  expect(Object.keys(rows[0])).toEqual(
    expect.arrayContaining(['case_id', 'file', 'row', 'warnings', 'error']),
  )
  expect(rows).toHaveLength(count)
  expect(statuses((await workflows.run(id)).nodes)).toMatchObject({ predict: 'cached' })

  await trained(2)
  expect((await workflows.plan(id)).predict).toMatchObject({ action: 'run' })
})

it('a model that does not exist is an issue before the run', async () => {
  const issues = await workflows.issues(
    workflow({ new: ['LoadTabular', { path: test }], predict: ['PredictCases', { model_id: 'none' }] }, [
      'new.dataframe > predict.cases',
    ]),
  )
  expect(issues).toMatchObject([{ code: 'MODEL_NOT_FOUND', node: 'predict', field: 'model_id' }])
})
