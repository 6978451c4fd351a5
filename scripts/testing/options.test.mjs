import { expect, it } from 'vitest'
import { checksFor, PARTS } from './checks.mjs'
import { readOptions } from './options.mjs'
import { progressLine, testCounter } from './progress.mjs'
import { shuffled } from './shuffle.mjs'

const read = (...args) => readOptions(args, PARTS)

it('reads files and options', () => {
  expect(read('a.test.ts', '--repeat', '3', '--seed', '7')).toMatchObject({
    files: ['a.test.ts'],
    repeat: 3,
    seed: 7,
    shuffle: true,
  })
  expect(read('--since', 'main').changed).toBe(true)
  expect(read('--part', 'page', '--part', 'trainer').part).toEqual(['page', 'trainer'])
})

it.each([
  [['--part', 'pages'], '"pages" is not one of static, trainer'],
  [['--repeat', '0'], 'not a whole number'],
  [['--quick', '--full'], 'Use only one of'],
  [['a.test.ts', '--part', 'page'], 'Use only one of'],
  [['--fast'], 'fast'],
])('refuses %j', (args, message) => {
  expect(() => read(...args)).toThrow(message)
})

const context = { root: '/root', folder: '/results', python: 'python', bin: (path) => ['node', path] }
const commandOf = (checks, id) => checks.find((check) => check.id === id).command.join(' ')

it('the default selection leaves out tests marked full; the full one runs them separately', () => {
  const checks = checksFor({ selection: 'default', context })
  expect(commandOf(checks, 'packages')).toContain('--tags-filter=!full')
  expect(commandOf(checks, 'trainer')).toContain('-m not full')
  expect(checks.find(({ id }) => id === 'service').next.id).toBe('specification')
  const marked = { trainer: ['trainer/tests/a/test_b.py'] }
  const full = checksFor({ selection: 'full', marked, context })
  expect(full.length).toBe(checks.length + 1)
  expect(commandOf(full, 'trainer-full')).toMatch(/-m full .*tests\/a\/test_b\.py$/)
})

it('named files run complete, in the order of the seed', () => {
  const files = { packages: ['scripts/a.test.mjs'] }
  const [check] = checksFor({ selection: 'files', files, seed: 5, context })
  expect(check.command.join(' ')).toMatch(
    /--project packages --sequence\.shuffle\.files --sequence\.shuffle\.tests --sequence\.seed=5 /,
  )
  expect(check.command).not.toContain('--tags-filter=!full')
  expect(check.command.at(-1)).toBe('scripts/a.test.mjs')
})

it('the same seed gives the same order', () => {
  const items = Array.from({ length: 50 }, (_, index) => index)
  expect(shuffled(items, 7)).toEqual(shuffled(items, 7))
  expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8))
  expect([...shuffled(items, 7)].sort((a, b) => a - b)).toEqual(items)
})

it('counts tests from the output of vitest and pytest', () => {
  const counter = testCounter()
  counter.read(' \u001b[32m✓\u001b[39m |packages| a.test.ts (12 tests | 1 skipped) 45ms\n ❯ |packages| b.te')
  counter.read('st.ts (1 test | 1 failed) 3ms\n   ✓ one test 2ms\n')
  expect(counter.count()).toBe(13)
  counter.read('bringing up nodes...\n....s.F. [ 50%]\n..')
  expect(counter.count()).toBe(23)
  const running = new Map([
    ['Trainer (pytest)', counter.count],
    ['Lint (ruff)', () => 0],
  ])
  expect(progressLine(65_000, running)).toBe('1:05  Trainer (pytest) 23 tests, Lint (ruff)')
})
