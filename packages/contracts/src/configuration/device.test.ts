import { expect, test } from 'vitest'
import { DEVICE, isGroup, readDevice } from './device.js'

test.each([
  ['auto', { kind: 'auto', nodes: 1, processes: 1, numbers: null }],
  ['mps', { kind: 'mps', nodes: 1, processes: 1, numbers: null }],
  ['cpu', { kind: 'cpu', nodes: 1, processes: 1, numbers: null }],
  ['cpu:2', { kind: 'cpu', nodes: 1, processes: 2, numbers: null }],
  ['cpu:2x3', { kind: 'cpu', nodes: 3, processes: 2, numbers: null }],
  ['cuda', { kind: 'cuda', nodes: 1, processes: 1, numbers: null }],
  ['cuda:3', { kind: 'cuda', nodes: 1, processes: 1, numbers: [3] }],
  ['cuda:0,1', { kind: 'cuda', nodes: 1, processes: 2, numbers: [0, 1] }],
  ['cuda:4x2', { kind: 'cuda', nodes: 2, processes: 4, numbers: null }],
] as const)('%s', (text, device) => {
  expect(DEVICE.test(text)).toBe(true)
  expect(readDevice(text)).toEqual(device)
  expect(isGroup(text)).toBe(device.nodes * device.processes > 1)
})

test.each([
  'cpu:0',
  'cpu:2x1',
  'cpu:0x2',
  'cuda:2x',
  'cuda:0x2',
  'cuda:0,1x2',
  'mps:2',
  'auto:2x2',
  'cuda:4x100',
])('%s is not a device', (text) => expect(DEVICE.test(text)).toBe(false))
