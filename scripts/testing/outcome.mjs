// The outcome of a suite from its report: how many tests passed, and each failed test with the first lines of its message.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const UNREADABLE = { passed: 0, failed: 1, skipped: 0, failures: ['the suite left no readable report'] }
const MESSAGE_LINES = 6
const NOT_RUN = new Set(['skipped', 'pending', 'todo'])

/**
 * Outcome of a vitest run from its JSON report; file names are relative to the root. Tests excluded from the run by one of the tags are not
 * counted as skipped.
 */
export function ofVitest(file, root, leftOutTags = []) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests - leftOut(report, leftOutTags),
      failures: report.testResults.flatMap((suite) => failuresOf(suite, root)),
    }
  } catch {
    return { ...UNREADABLE }
  }
}

function leftOut({ testResults }, tags) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return tests.filter((test) => NOT_RUN.has(test.status) && test.tags?.some((tag) => tags.includes(tag)))
    .length
}

function failuresOf(suite, root) {
  const name = relative(root, suite.name)
  const tests = suite.assertionResults.filter(({ status }) => status === 'failed')
  // A file that could not be loaded has a message and no tests.
  if (tests.length === 0 && suite.status === 'failed') return [describeFailure(name, suite.message)]
  return tests.map((test) => describeFailure(`${name} > ${test.fullName}`, test.failureMessages.join('\n')))
}

/** The outcome of a pytest run from its JUnit report. */
export function ofPytest(file) {
  try {
    const report = readFileSync(file, 'utf8')
    const [suite] = report.match(/<testsuite [^>]*>/) ?? ['']
    const number = (name) => Number(attribute(suite, name) || 0)
    const failed = number('failures') + number('errors')
    const skipped = number('skipped')
    const broken = report.matchAll(/<testcase ([^>]*[^/])>\s*<(?:failure|error) ([^>]*)>/g)
    return {
      passed: number('tests') - failed - skipped,
      failed,
      skipped,
      failures: [...broken].map(([, test, failure]) =>
        describeFailure(
          `${attribute(test, 'classname')} > ${attribute(test, 'name')}`,
          attribute(failure, 'message'),
        ),
      ),
    }
  } catch {
    return { ...UNREADABLE }
  }
}

function describeFailure(name, message) {
  const lines = (message ?? '').split('\n').slice(0, MESSAGE_LINES)
  return [name, ...lines.map((line) => `    ${line}`)].join('\n')
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' }

/** The value of an attribute of an XML element. */
export function attribute(element, name) {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1] ?? ''
  return value.replace(/&(#10|\w+);/g, (entity, key) => ENTITIES[key] ?? entity)
}
