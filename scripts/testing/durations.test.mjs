import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { durationsOfPytest, durationsOfVitest, slowest } from './durations.mjs'
import { countsLine, failuresOf, timesOf, totalOf } from './summary.mjs'

const folder = mkdtempSync(join(tmpdir(), 'medloom-durations-'))
const write = (name, text) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

it('the slowest tests of vitest and pytest together', () => {
  const json = write(
    'a.json',
    JSON.stringify({
      testResults: [
        {
          name: '/root/tests/a.test.ts',
          assertionResults: [
            { fullName: 'waits', duration: 1500 },
            { fullName: 'is left out', status: 'skipped' },
          ],
        },
      ],
    }),
  )
  const xml = write(
    'a.xml',
    '<testsuite><testcase classname="tests.test_a" name="test_x[1 &gt; 0]" time="2.25" />' +
      '<testcase classname="tests.test_a" name="test_y" time="0.25" /></testsuite>',
  )
  const tests = [...durationsOfVitest(json, '/root'), ...durationsOfPytest(xml)]
  expect(slowest(tests, 2)).toEqual([
    { name: 'tests.test_a > test_x[1 > 0]', seconds: 2.25 },
    { name: 'tests/a.test.ts > waits', seconds: 1.5 },
  ])
})

it('a missing report has no times', () => {
  expect(durationsOfVitest(join(folder, 'none.json'), '/root')).toEqual([])
  expect(durationsOfPytest(join(folder, 'none.xml'))).toEqual([])
})

it('the end of a run: times, slowest tests, failures, counts', () => {
  const results = [
    {
      ...{ title: 'Lint (ruff)', ok: true, seconds: 1, durations: [] },
      outcome: { passed: 1, failed: 0, skipped: 0, failures: [] },
    },
    {
      ...{ title: 'Packages (vitest)', ok: false, seconds: 65.25 },
      durations: [{ name: 'a > b', seconds: 2 }],
      outcome: { passed: 3, failed: 1, skipped: 2, failures: ['a > b'] },
    },
  ]
  expect(timesOf(results).split('\n')).toEqual([
    'Parts:',
    '  65.3 s  Packages (vitest)  4 tests',
    '  1.0 s   Lint (ruff)',
    '',
    'Slowest tests:',
    '  2.0 s  a > b',
  ])
  expect(failuresOf(results)).toBe('Failed:\nPackages (vitest)\n  a > b')
  expect(failuresOf(results.slice(0, 1))).toBe('Every check passed.')
  expect(countsLine(totalOf(results))).toBe('4 passed, 1 failed, 2 skipped')
})
