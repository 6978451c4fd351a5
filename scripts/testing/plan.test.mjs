import { expect, it } from 'vitest'
import { suitesAtOnce, workersPerSuite } from './machine.mjs'
import { longestFirst, runPlan } from './plan.mjs'

const ids = (checks) => checks.map(({ id }) => id)
const SUITES = [{ id: 'packages' }, { id: 'page' }, { id: 'service' }, { id: 'trainer' }, { id: 'ruff' }]

it('starts with the longest part of the last run', () => {
  const seconds = { packages: 200, page: 900, service: 300, trainer: 800, ruff: 1 }
  expect(ids(longestFirst(SUITES, seconds))).toEqual(['page', 'trainer', 'service', 'packages', 'ruff'])
})

it('starts with a part that has no time yet', () => {
  const seconds = { packages: 200, page: 900, trainer: 800, ruff: 1 }
  expect(ids(longestFirst(SUITES, seconds))[0]).toBe('service')
})

it('has an order without earlier times', () => {
  expect(ids(longestFirst(SUITES, {}))).toEqual(['trainer', 'service', 'page', 'packages', 'ruff'])
})

it('uses more of a larger machine', () => {
  expect([2, 4, 8, 32].map(suitesAtOnce)).toEqual([2, 2, 4, 4])
  expect([2, 4, 8, 32].map(workersPerSuite)).toEqual([2, 2, 2, 8])
})

it('runs two suites at once, one static check next to them, and the cluster without any other', async () => {
  const running = new Set()
  const seen = []
  const run = async ({ id }) => {
    running.add(id)
    seen.push([...running].sort().join(' '))
    await new Promise((resume) => setTimeout(resume, id.length * 3))
    running.delete(id)
  }
  const table = { id: 'specification' }
  await runPlan(
    [
      { id: 'service', lane: 'suite', next: table },
      { id: 'trainer', lane: 'suite' },
      { id: 'page', lane: 'suite' },
      { id: 'ruff', lane: 'static' },
      { id: 'mypy', lane: 'static' },
      { id: 'cluster', lane: 'alone' },
    ],
    { atOnce: 2, run },
  )
  expect(seen).toHaveLength(7)
  expect(seen.at(-1)).toBe('cluster')
  for (const together of seen) expect(together.split(' ').length).toBeLessThanOrEqual(3)
  expect(seen.some((together) => together.includes('ruff') && together.includes('mypy'))).toBe(false)
  const position = (id) => seen.findIndex((together) => together.includes(id))
  expect(position('specification')).toBeGreaterThan(position('service'))
})
