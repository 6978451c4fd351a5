import { expect, it } from 'vitest'
import { differences, sameWorkflow } from './difference.js'
import { Workflow } from './saved-workflow.js'

const document = (nodes: object[], more: object = {}) =>
  Workflow.parse({ version: '1.1', metadata: { name: 'x' }, nodes, connections: [], ...more })
const train = (config: object) => ({ id: 'train', type: 'TrainModel', position: { x: 0, y: 0 }, config })

it('lists additions, removals and changes down to the fields of a config, with both values', () => {
  const before = document([train({ epochs: 3, optimizer: { name: 'sgd' } }), { id: 'plots', type: 'Plots' }])
  const after = document([
    train({ epochs: 5, optimizer: { name: 'adam' } }),
    { id: 'report', type: 'Report' },
  ])
  const empty = { position: { x: 0, y: 0 }, config: {} }
  expect(differences(before, after)).toEqual([
    {
      ...{ list: 'nodes', id: 'train', how: 'changed', item: null },
      fields: [
        { field: 'config.epochs', from: 3, to: 5 },
        { field: 'config.optimizer', from: { name: 'sgd' }, to: { name: 'adam' } },
      ],
    },
    {
      list: 'nodes',
      id: 'report',
      how: 'added',
      item: { id: 'report', type: 'Report', ...empty },
      fields: [],
    },
    {
      list: 'nodes',
      id: 'plots',
      how: 'removed',
      item: { id: 'plots', type: 'Plots', ...empty },
      fields: [],
    },
  ])
})

it('the order of keys and items is ignored, and so is the history of runs', () => {
  const nodes = [train({ a: 1, b: [1, { c: 2, d: 3 }] }), { id: 'other', type: 'X' }]
  const turned = [{ type: 'X', id: 'other' }, train({ b: [1, { d: 3, c: 2 }], a: 1 })]
  const run = { timestamp: '2026-01-01T00:00:00.000Z', status: 'success', duration: 1 }
  expect(differences(document(nodes), document(turned, { execution_history: [run] }))).toEqual([])
  expect(sameWorkflow(document(nodes), document([...turned].reverse()))).toBe(true)
})

it.each([
  ['a list and another order of it', [1, 2], [2, 1]],
  ['a value and none', null, undefined],
  ['a list and an object', [], {}],
  ['an inherited name and a field of it', undefined, 'x'],
])('distinguishes %s', (_, a, b) => {
  const named = (value: unknown) => document([train({ constructor: value })])
  expect(sameWorkflow(named(a), named(b))).toBe(false)
  expect(differences(named(a), named(b))).toHaveLength(1)
})

it('a field with an inherited name has no value before it is set', () => {
  const [change] = differences(document([train({})]), document([train({ constructor: 'x' })]))
  expect(change?.fields).toEqual([{ field: 'config.constructor', from: null, to: 'x' }])
})
