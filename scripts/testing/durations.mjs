// Duration of each test of a run, from the reports of vitest and pytest.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { attribute } from './outcome.mjs'

/** [{ name, seconds }] from vitest's JSON report. */
export function durationsOfVitest(file, root) {
  return read(file, (text) =>
    JSON.parse(text).testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ duration }) => duration > 0)
        .map(({ fullName, duration }) => ({
          name: `${relative(root, name)} > ${fullName}`,
          seconds: duration / 1000,
        })),
    ),
  )
}

/** [{ name, seconds }] from pytest's JUnit report. The time includes the fixtures of the test. */
export function durationsOfPytest(file) {
  return read(file, (text) =>
    [...text.matchAll(/<testcase [^>]*>/g)].map(([test]) => ({
      name: `${attribute(test, 'classname')} > ${attribute(test, 'name')}`,
      seconds: Number(attribute(test, 'time')) || 0,
    })),
  )
}

/** The slowest tests, slowest first. */
export function slowest(tests, count = 10) {
  return [...tests].sort((a, b) => b.seconds - a.seconds).slice(0, count)
}

/** Without a report there are no times; the outcome of the suite reports that it is missing. */
function read(file, parse) {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}
