import { expect, it } from 'vitest'
import { crowding, hasRoom, workersPerSuite } from './machine.mjs'
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
  const parts = [{ id: 'ruff' }, { id: 'cluster' }, ...SUITES.slice(0, -1)]
  expect(ids(longestFirst(parts, {}))).toEqual(['page', 'packages', 'trainer', 'service', 'cluster', 'ruff'])
})

it('uses more of a larger machine', () => {
  expect([2, 4, 8, 32].map(workersPerSuite)).toEqual([2, 2, 4, 16])
})

it('runs suites that wait beside one that computes, and never two that compute with a third', () => {
  expect(hasRoom([], 'page')).toBe(true)
  expect(hasRoom(['page'], 'trainer')).toBe(true)
  expect(hasRoom(['page', 'packages'], 'cluster')).toBe(true)
  expect(hasRoom(['page', 'packages'], 'service')).toBe(false)
  expect(hasRoom(['page', 'trainer'], 'cluster')).toBe(false)
  expect(hasRoom(['trainer', 'service'], 'cluster')).toBe(true)
})

it('starts a later suite that fits while an earlier one waits for room', async () => {
  const began = []
  const ended = {}
  const run = ({ id }) => {
    began.push(id)
    return new Promise((resume) => {
      ended[id] = resume
    })
  }
  const fits = (running, next) => running.length === 0 || next === 'cluster'
  const plan = ['page', 'trainer', 'cluster'].map((id) => ({ id, lane: 'suite' }))
  const whole = runPlan(plan, { hasRoom: fits, run })
  await Promise.resolve()
  expect(began).toEqual(['page', 'cluster'])
  ended.page()
  ended.cluster()
  await expect.poll(() => began).toEqual(['page', 'cluster', 'trainer'])
  ended.trainer()
  await whole
})

it('gives tests more time where several suites share few cores', () => {
  expect([1, 2, 4, 5].map((suites) => crowding(suites, 2))).toEqual([1, 2, 2, 2])
  expect(crowding(4, 8)).toBe(1)
})

it('runs suites together that leave each other room, and one static check next to them', async () => {
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
    ],
    { hasRoom: (running) => running.length < 2, run },
  )
  expect(seen).toHaveLength(6)
  for (const together of seen) expect(together.split(' ').length).toBeLessThanOrEqual(3)
  expect(seen.some((together) => together.includes('ruff') && together.includes('mypy'))).toBe(false)
  const position = (id) => seen.findIndex((together) => together.includes(id))
  expect(position('specification')).toBeGreaterThan(position('service'))
})
