import { expect, test } from 'vitest'
import { nodeError } from './compute-node.js'

test('an expected error has no stack, and a defect has one', () => {
  const expected = Object.assign(new Error('column "age" is missing'), { trace: null })
  expect(nodeError(expected)).toEqual({ type: 'Error', message: 'column "age" is missing', trace: null })
  expect(nodeError(new TypeError('x is undefined')).trace).toContain('compute-node.test')
  expect(nodeError(Object.assign(new Error('failed'), { trace: 'node.py:3' })).trace).toBe('node.py:3')
})
