import { describeCatalog, NODES } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { catalogOf } from '../core/ports'
import { flowEdges, flowNodes } from './flow-nodes'
import { fitName } from './overview-paint'
import { boxAt, boxesIn, sceneOf } from './overview-scene'

const document = {
  version: '1.1',
  metadata: { name: '', description: '' },
  nodes: [
    { id: 'load', type: 'LoadDataset', position: { x: 0, y: 0 }, config: {} },
    { id: 'split', type: 'DataSplit', position: { x: 400, y: 100 }, config: {} },
    { id: 'over', type: 'DataSplit', position: { x: 410, y: 110 }, config: {} },
  ],
  connections: [{ id: 'c', source: 'load', source_port: 'dataset', target: 'split', target_port: 'dataset' }],
} as const
const catalog = catalogOf(describeCatalog(NODES))
const scene = sceneOf(
  flowNodes(document as never, catalog, [], new Set(['split']), new Map()),
  flowEdges(document as never, catalog, new Set(), new Set()),
)

it('has nodes and wires where the cards and ports of the drawing are', () => {
  expect(scene.boxes).toMatchObject([
    { id: 'load', name: 'Load dataset', x: 0, y: 0, width: 220, selected: false },
    { id: 'split', selected: true },
    { id: 'over' },
  ])
  const [wire] = scene.wires
  expect(wire).toMatchObject({ from: { x: 220 }, to: { x: 400 } })
  expect(wire?.to.y).toBe(100 + (wire?.from.y ?? 0))
})

it('finds the node that is seen at a place, and those that lie in an area as a whole', () => {
  expect(boxAt(scene, { x: 420, y: 120 })?.id).toBe('over')
  expect(boxAt(scene, { x: 401, y: 101 })?.id).toBe('split')
  expect(boxAt(scene, { x: 300, y: 50 })).toBeUndefined()
  expect(boxesIn(scene, { x: -10, y: -10, width: 500, height: 400 }).map(({ id }) => id)).toEqual(['load'])
})

it('a name is cut where its node ends, and says so', () => {
  const widthOf = (text: string) => [...text].length * 10
  expect(fitName('Split data', 100, widthOf)).toBe('Split data')
  expect(fitName('Split data', 99, widthOf)).toBe('Split da…')
  expect(fitName('Split data', 70, widthOf)).toBe('Split…')
  expect(fitName('Split data', 15, widthOf)).toBe('')
  expect(fitName('', 0, widthOf)).toBe('')
})
