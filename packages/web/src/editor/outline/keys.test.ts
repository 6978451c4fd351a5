import { expect, it } from 'vitest'
import type { PortView } from '../core/ports'
import { moveForKey } from './keys'
import type { Row } from './rows'

const node = (id: string) => ({ id, type: 'T', position: { x: 0, y: 0 }, config: {} })
const closed = (id: string, position: number): Row => ({
  key: id,
  node: node(id),
  port: null,
  position,
  setSize: 3,
})
const port = (id: string, position: number): Row => ({
  ...{ key: `${id} ${position}`, node: node(id), position, setSize: 2 },
  port: { side: 'input', view: {} as PortView },
})
/** a, b with two ports, c */
const rows = [closed('a', 1), closed('b', 2), port('b', 1), port('b', 2), closed('c', 3)]
const open = new Set(['b'])

it.each([
  ['ArrowDown', 0, { to: 1 }],
  ['ArrowDown', 4, { to: 4 }],
  ['ArrowUp', 0, { to: 0 }],
  ['PageDown', 1, { to: 4 }],
  ['PageUp', 4, { to: 1 }],
  ['Home', 3, { to: 0 }],
  ['End', 0, { to: 4 }],
  ['ArrowRight', 0, { toggle: 'a' }],
  ['ArrowRight', 1, { to: 2 }],
  ['ArrowRight', 2, null],
  ['ArrowLeft', 0, null],
  ['ArrowLeft', 1, { toggle: 'b' }],
  ['ArrowLeft', 3, { to: 1 }],
  ['x', 0, null],
] as const)('%s on row %i', (key, index, move) => {
  expect(moveForKey(key, rows, index, open, 3)).toEqual(move)
})
