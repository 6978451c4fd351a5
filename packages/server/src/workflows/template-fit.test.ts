import { type Dataset, NODES, type WorkflowTemplate } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../errors.js'
import type { CheckContext } from './check-workflow.js'
import { fitOf } from './template-fit.js'
import { readTemplates } from './templates.js'

const COLUMNS = [
  { name: 'patient', role: 'patient' },
  { name: 'photo', role: 'image' },
  { name: 'age', role: 'numeric' },
  { name: 'label', role: 'label' },
]

function dataset(changes: object = {}): Dataset {
  return {
    dataset_id: 'ds',
    path: '/data/all.csv',
    kind: 'table',
    columns: COLUMNS,
    task: 'classification',
    classes: [{ name: 'a' }, { name: 'b' }],
    splits: { train: 60, val: 20, test: 20 },
    num_cases: 100,
    ...changes,
  } as unknown as Dataset
}

let templates: readonly WorkflowTemplate[]
beforeAll(async () => {
  templates = await readTemplates()
})

function fit(id: string, data: Dataset) {
  const template = templates.find(({ template_id }) => template_id === id)
  if (!template) throw new Error(id)
  const context = {
    roots: { resolve: async (path: string) => path },
    datasets: {
      find: async (name: string) => {
        if (name !== data.dataset_id)
          throw new AppError('DATASET_NOT_FOUND', { english: `there is no ${name}` })
        return { record: data, place: {} }
      },
    },
    outputs: { resolve: async (path: string) => path },
    custom: { known: async () => ({ catalog: NODES, problems: [] }) },
  } as unknown as CheckContext
  return fitOf(template.workflow, data, context)
}

describe('a dataset with images, a table and three parts', () => {
  it('fits every template that needs one dataset, each part in its place', async () => {
    for (const { template_id } of templates) {
      const { fits, missing } = await fit(template_id, dataset())
      if (template_id === 'external-test')
        expect(missing.map(({ code, node }) => [code, node])).toEqual([
          ['DATASET_NOT_FOUND', 'external-1'],
          ['DATASET_NOT_FOUND', 'external-2'],
        ])
      else expect([template_id, fits, missing]).toEqual([template_id, true, []])
    }
    const { workflow } = await fit('fusion', dataset())
    const loaded = workflow.nodes.filter(({ type }) => type === 'LoadDataset').map(({ config }) => config)
    expect(loaded).toMatchObject([
      { dataset_id: 'ds', split: 'train' },
      { dataset_id: 'ds', split: 'val' },
      { dataset_id: 'ds', split: 'test' },
    ])
  })
})

describe('a dataset that does not fit reports the missing parts and their nodes', () => {
  it('without images', async () => {
    const columns = COLUMNS.filter(({ role }) => role !== 'image')
    const { fits, missing } = await fit('fusion', dataset({ columns }))
    expect(fits).toBe(false)
    expect(missing).toContainEqual(expect.objectContaining({ code: 'FACET_MISSING' }))
    expect((await fit('table-only', dataset({ columns }))).fits).toBe(true)
  })

  it('without a table', async () => {
    const columns = COLUMNS.filter(({ role }) => role !== 'numeric')
    expect((await fit('table-only', dataset({ columns }))).missing.map(({ code }) => code)).toEqual([
      'FACET_MISSING',
    ])
    expect((await fit('image-only', dataset({ columns }))).fits).toBe(true)
  })

  it('without parts', async () => {
    const { missing } = await fit('fusion', dataset({ splits: {} }))
    const parts = missing.filter(({ code }) => code === 'DATASET_INVALID')
    expect(parts.map(({ message }) => message)).toEqual([
      'the dataset has no split train',
      'the dataset has no split val',
      'the dataset has no split test',
    ])
  })
})
