import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ofPytest, ofVitest } from './outcome.mjs'

const folder = mkdtempSync(join(tmpdir(), 'medloom-outcome-'))
const write = (name, text) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

it('vitest: failed tests and files that could not be loaded, by name and message', () => {
  const report = write(
    'report.json',
    JSON.stringify({
      numPassedTests: 1,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        {
          name: '/root/tests/a.test.ts',
          status: 'failed',
          assertionResults: [
            { status: 'passed', fullName: 'stays', failureMessages: [] },
            { status: 'failed', fullName: 'breaks', failureMessages: ['expected 1\nto be 2'] },
          ],
        },
        {
          name: '/root/tests/b.test.ts',
          status: 'failed',
          message: 'cannot be loaded',
          assertionResults: [],
        },
      ],
    }),
  )
  expect(ofVitest(report, '/root')).toEqual({
    passed: 1,
    failed: 1,
    skipped: 3,
    failures: [
      'tests/a.test.ts > breaks\n    expected 1\n    to be 2',
      'tests/b.test.ts\n    cannot be loaded',
    ],
  })
})

it('pytest: failures and errors, their messages as they were written', () => {
  const report = write(
    'report.xml',
    `<?xml version="1.0"?><testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="5">` +
      `<testcase classname="tests.test_a" name="test_fine" time="0.1" />` +
      `<testcase classname="tests.test_a" name="test_wrong[&quot;x&quot;]" time="0.1">` +
      `<failure message="assert 1 &lt; 0&#10;seen">trace</failure></testcase>` +
      `<testcase classname="tests.test_b" name="test_set_up" time="0"><error message="no folder">trace</error></testcase>` +
      `<testcase classname="tests.test_b" name="test_gpu" time="0"><skipped message="no GPU">x</skipped></testcase>` +
      `</testsuite></testsuites>`,
  )
  expect(ofPytest(report)).toEqual({
    passed: 2,
    failed: 2,
    skipped: 1,
    failures: [
      'tests.test_a > test_wrong["x"]\n    assert 1 < 0\n    seen',
      'tests.test_b > test_set_up\n    no folder',
    ],
  })
})

it('a suite that left no report counts as one failure', () => {
  expect(ofVitest(join(folder, 'none.json'), '/root').failed).toBe(1)
  expect(ofPytest(join(folder, 'none.xml')).failed).toBe(1)
})
