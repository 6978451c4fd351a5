import { expect, test } from 'vitest'
import { z } from 'zod'
import { check, MAX_ISSUES } from './check.js'

const Schema = z.strictObject({ token: z.string().optional(), seeds: z.array(z.int()).optional() })
const issuesOf = (input: object) => {
  const checked = check(Schema, input)
  return checked.ok ? [] : checked.issues
}
const manyKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tokem${index}`, 1]))

test.each([
  ['unknown keys', manyKeys(MAX_ISSUES + 1234), 'tokem0'],
  ['wrong values', { seeds: Array(MAX_ISSUES + 1234).fill('one') }, 'seeds.0'],
])('of very many %s the first are listed, and how many more there are', (_, input, first) => {
  const issues = issuesOf(input)
  expect(issues).toHaveLength(MAX_ISSUES + 1)
  expect(issues[0]?.path).toBe(first)
  expect(issues.at(-1)).toMatchObject({ path: '', code: 'MORE_ISSUES', message: '1,234 more problems' })
})

test('as many problems as are listed have no line about more', () => {
  expect(issuesOf(manyKeys(MAX_ISSUES)).map(({ code }) => code)).toEqual(
    Array(MAX_ISSUES).fill('UNKNOWN_FIELD'),
  )
  expect(issuesOf(manyKeys(MAX_ISSUES + 1)).at(-1)?.message).toBe('1 more problem')
})

test('only the first problems have a hint, since the nearest word is searched for each', () => {
  const hints = issuesOf(manyKeys(50)).map(({ hint }) => hint !== undefined)
  expect(hints.slice(0, 20)).toEqual(Array(20).fill(true))
  expect(hints.slice(20)).toEqual(Array(30).fill(false))
})

test('a key with a dot after a known section belongs in that section', () => {
  expect(issuesOf({ 'seeds.first': 1 })[0]?.hint).toBe('Write "first" as a key within "seeds".')
})

test('a key as long as a body is cut in the place and in the message', () => {
  const [issue] = issuesOf({ ['k'.repeat(1_000_000)]: 1 })
  expect(JSON.stringify(issue).length).toBeLessThan(1000)
})
