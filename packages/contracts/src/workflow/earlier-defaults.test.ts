import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  earlierDefaults,
  factsOf,
  LATER_THAN_1_0,
  NODES,
  readWorkflow,
  upgradedWorkflow,
  WORKFLOW_VERSION,
  type Workflow,
} from '../index.js'

type Nodes = Readonly<Record<string, { readonly type: string; readonly config?: object }>>

/** A file as version `version` saves it, after it was read. */
function read(nodes: Nodes, version = '1.0'): Workflow {
  const list = Object.entries(nodes).map(([id, node]) => ({
    id,
    position: { x: 0, y: 0 },
    config: {},
    ...node,
  }))
  const checked = readWorkflow({ version, metadata: { name: 'older' }, nodes: list, connections: [] })
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.value
}

const configOf = (workflow: Workflow, id: string) => workflow.nodes.find((node) => node.id === id)?.config

// Table only: version 1.0 trained one network without a linear model, and filled in gaps without marking them.
const TABLE: Nodes = {
  table: { type: 'TabularPreprocess', config: { missing_strategy: 'mean' } },
  backbone: { type: 'SelectBackbone', config: { model_name: 'none' } },
  fusion: { type: 'SelectFusion', config: { strategy: 'concatenate' } },
}
// Images: version 1.0 read the middle slice of a volume named by a table, and three slices of each file of a folder.
const IMAGES: Nodes = {
  load: { type: 'LoadDataset', config: { dataset_id: 'scans' } },
  folder: { type: 'LoadImage', config: { path: 'scans', format: 'NIfTI' } },
  photos: { type: 'LoadImage', config: { path: 'photos', format: 'PNG' } },
  table: { type: 'TabularPreprocess' },
  backbone: { type: 'SelectBackbone', config: { model_name: 'resnet18' } },
  fusion: { type: 'SelectFusion', config: { strategy: 'gated' } },
}

describe('a file of version 1.0', () => {
  it('trains what it trained: its defaults are written into its nodes', () => {
    const table = read(TABLE)
    expect(table.version).toBe(WORKFLOW_VERSION)
    expect(configOf(table, 'fusion')).toEqual({
      strategy: 'concatenate',
      members: 1,
      linear_share: 0,
      missing_token: 'random',
    })
    expect(configOf(table, 'table')).toEqual({ missing_strategy: 'mean', missing_indicator: false })
    const images = read(IMAGES)
    expect(configOf(images, 'load')).toMatchObject({ slices: { count: 1, axis: 'axial', spread: 'volume' } })
    expect(configOf(images, 'folder')).toMatchObject({
      slices: { count: 3, axis: 'axial', spread: 'volume' },
    })
  })

  it('gets nothing written where the default of today does the same', () => {
    const { earlier_defaults } = read(IMAGES)
    expect(earlier_defaults?.map(({ node, field }) => `${node}.${field}`)).toEqual([
      'load.slices',
      'folder.slices',
      'fusion.missing_token',
    ])
    expect(read({ ...TABLE, table: { type: 'TabularPreprocess' } }).earlier_defaults).toHaveLength(3)
    expect(read({ split: { type: 'DataSplit' } })).not.toHaveProperty('earlier_defaults')
  })

  it('preserves its own settings', () => {
    const set = { ...TABLE, fusion: { type: 'SelectFusion', config: { members: null, linear_share: 0.2 } } }
    expect(configOf(read(set), 'fusion')).toEqual({
      members: null,
      linear_share: 0.2,
      missing_token: 'random',
    })
    expect(earlierDefaults(read(set)).map(({ field }) => field)).toEqual([
      'missing_indicator',
      'missing_token',
    ])
  })

  it('is read once: the file that is written then has the values of its version', () => {
    const once = read(TABLE)
    expect(readWorkflow(once)).toEqual({ ok: true, value: once })
    expect(read(TABLE, WORKFLOW_VERSION).nodes.map(({ config }) => config)).toEqual(
      Object.values(TABLE).map(({ config }) => config),
    )
  })

  it('with several nodes of one id gets its values node by node', () => {
    const twice = [
      { id: 'a', type: 'SelectBackbone', config: { model_name: 'none' } },
      { id: 'a', type: 'SelectFusion', config: { dropout: 0.2 } },
      { id: 'a', type: 'SelectFusion' },
    ]
    const checked = readWorkflow({ version: '1.0', nodes: twice, connections: [] })
    expect(checked.ok && checked.value.nodes.map(({ config }) => config)).toEqual([
      { model_name: 'none' },
      { dropout: 0.2, members: 1, linear_share: 0, missing_token: 'random' },
      { members: 1, linear_share: 0, missing_token: 'random' },
    ])
  })
})

describe('an upgrade', () => {
  it('lists each setting with its key, current value and new value', () => {
    expect(earlierDefaults(read(TABLE))).toEqual([
      expect.objectContaining({ node: 'table', key: 'data.missing_indicator', old: false, new: true }),
      expect.objectContaining({ node: 'fusion', key: 'model.members', old: 1, new: null }),
      expect.objectContaining({ node: 'fusion', key: 'model.linear_share', old: 0, new: null }),
      expect.objectContaining({ node: 'fusion', key: 'model.missing_token', old: 'random', new: 'mean' }),
    ])
  })

  it('takes the defaults of today, and is offered no more', () => {
    const upgraded = upgradedWorkflow(read(TABLE))
    expect(upgraded).toEqual(read(TABLE, WORKFLOW_VERSION))
    expect(earlierDefaults(upgraded)).toEqual([])
  })

  it('leaves a setting that was changed since, and a node that is gone', () => {
    const edited = read(TABLE)
    const nodes = edited.nodes
      .filter(({ id }) => id !== 'table')
      .map((node) => (node.id === 'fusion' ? { ...node, config: { ...node.config, members: 3 } } : node))
    const workflow = { ...edited, nodes }
    expect(earlierDefaults(workflow).map(({ field }) => field)).toEqual(['linear_share', 'missing_token'])
    expect(configOf(upgradedWorkflow(workflow), 'fusion')).toEqual({ strategy: 'concatenate', members: 3 })
  })
})

it('every field whose default is not what was done before has a version of the format that writes it', () => {
  const later = Object.entries(NODES).flatMap(([type, { config }]) =>
    Object.entries(config.shape).flatMap(([field, schema]) =>
      factsOf(schema).before_it_existed === undefined ? [] : [`${type}.${field}`],
    ),
  )
  expect(LATER_THAN_1_0.map(({ type, field }) => `${type}.${field}`).sort()).toEqual(later.sort())
})

it('every default is that of the table of its version: another default needs a new version', () => {
  const table = new URL(`./defaults-of-versions/${WORKFLOW_VERSION}.json`, import.meta.url)
  const today = Object.entries(NODES).map(([type, { config }]) => {
    const fields = Object.entries(config.shape).map(([field, schema]) => [
      field,
      schema.safeParse(undefined).data,
    ])
    return [type, Object.fromEntries(fields)]
  })
  expect(JSON.parse(JSON.stringify(Object.fromEntries(today)))).toEqual(
    JSON.parse(readFileSync(table, 'utf8')),
  )
})
