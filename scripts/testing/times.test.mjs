import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { overBudget } from './budgets.mjs'
import { appendTimes, growthOf, lastSeconds, readTimes, timesTable } from './times.mjs'

const run = (total, more = {}) => ({
  date: '2026-01-02T03:04:05.678Z',
  commit: 'abc1234',
  selection: 'default',
  cores: 2,
  calibration: 0.2,
  quiet: true,
  ok: true,
  total,
  tests: 1234,
  parts: { trainer: { seconds: total / 2, tests: 1000 } },
  ...more,
})

it('keeps a line per run and skips one that was cut off', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'medloom-times-')), 'times.jsonl')
  expect(readTimes(file)).toEqual([])
  appendTimes(file, run(100))
  appendFileSync(file, '{"date": "2026\n')
  appendTimes(file, run(120))
  expect(readTimes(file).map(({ total }) => total)).toEqual([100, 120])
})

it('plans with the last run on as many cores that passed', () => {
  const runs = [run(100), run(300, { ok: false }), run(50, { cores: 8 })]
  expect(lastSeconds(runs, 2)).toEqual({ trainer: 50 })
  expect(lastSeconds(runs, 8)).toEqual({ trainer: 25 })
  expect(lastSeconds(runs, 4)).toEqual({})
})

it('growth: against the median of earlier runs, whatever the speed of the machine', () => {
  const runs = [run(100), run(90), run(1000, { ok: false }), run(110), run(1000, { selection: 'full' })]
  expect(growthOf(runs, 0)).toBeNull()
  expect(growthOf([...runs, run(120)], 5)).toBeCloseTo(0.2)
  expect(growthOf([...runs, run(200, { calibration: 0.4 })], 5)).toBeCloseTo(0)
})

it('shows the last runs as a table', () => {
  const lines = timesTable([run(100), run(150)]).split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[2]).toMatch(
    /2026-01-02 03:04 +abc1234 +default +2 +0\.20 s +1234 +75 s +150 s +\+50 % +passed/,
  )
  expect(timesTable([])).toContain('No times yet')
})

it('a part that took more than 1.5 times its budget', () => {
  const parts = { trainer: { seconds: 301 }, page: { seconds: 299 }, mypy: { seconds: 9000 } }
  const budgets = { trainer: 1000, page: 1000, mypy: null }
  expect(overBudget(parts, 0.2, budgets)).toEqual([
    expect.stringMatching(/^trainer took 301 s; at most 300 s/),
  ])
  expect(overBudget(parts, 0.4, budgets)).toEqual([])
})
