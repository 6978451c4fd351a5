import { expect, test } from 'vitest'
import { z } from 'zod'
import { check, MAX_ISSUES } from './check.js'
import { checkSteps } from './check-steps.js'

const Schema = z.looseObject({
  name: z.string(),
  items: z.array(z.strictObject({ id: z.string(), size: z.int().default(1) })).max(2000),
  notes: z.array(z.string()).max(2).optional(),
  history: z.array(z.int()).default([]),
})

/** The result, and the number of steps before it. */
function stepsOf(input: Record<string, unknown>, place = '') {
  const steps = checkSteps(Schema, input, place)
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done) return { checked: step.value, count }
  }
}
const items = (count: number, item: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `i${index}`, ...item }))

test.each<[string, Record<string, unknown>]>([
  ['a complete value', { name: 'a', items: items(3), notes: ['x'], history: [1], more: true }],
  ['a value without its optional lists', { name: 'a', items: [] }],
  ['a list that is not a list', { name: 'a', items: 'none' }],
  ['a missing list', { name: 'a' }],
  ['wrong items', { name: 'a', items: items(3, { size: 'big' }) }],
  ['unknown keys of items', { name: 'a', items: items(2, { sise: 1 }) }],
  ['more wrong items than are listed', { name: 'a', items: items(MAX_ISSUES + 50, { id: 1 }) }],
  ['a list that is too long', { name: 'a', items: [], notes: ['a', 'b', 'c'] }],
])('%s is checked as in one piece', (_, input) => {
  expect(stepsOf(input).checked).toEqual(check(Schema, input))
  expect(stepsOf(input, 'workflow').checked).toEqual(check(Schema, input, 'workflow'))
})

test('there is a step for each item, so that other work can be done in between', () => {
  expect(stepsOf({ name: 'a', items: items(1000), history: [1, 2] }).count).toBe(1002)
})

test('the items of a list that is too long are not read', () => {
  const { checked, count } = stepsOf({ name: 'a', items: items(2001, { size: 'big' }) })
  expect(count).toBe(0)
  expect(checked.ok ? [] : checked.issues).toMatchObject([
    { path: 'items', code: 'INVALID_VALUE', message: 'must have at most 2,000 items' },
  ])
})
