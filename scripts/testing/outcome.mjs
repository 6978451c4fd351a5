// What a suite says it found: how many tests passed, and each failed one with the first lines of its message.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const UNREADABLE = { passed: 0, failed: 1, skipped: 0, failures: ['the suite left no readable report'] }
const MESSAGE_LINES = 6

/** The outcome of a vitest run from its JSON report; names of files are relative to the root. */
export function ofVitest(file, root) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
      failures: report.testResults.flatMap((suite) => failuresOf(suite, root)),
    }
  } catch {
    return { ...UNREADABLE }
  }
}

function failuresOf(suite, root) {
  const name = relative(root, suite.name)
  const tests = suite.assertionResults.filter(({ status }) => status === 'failed')
  // A file that could not be loaded has a message and no tests.
  if (tests.length === 0 && suite.status === 'failed') return [told(name, suite.message)]
  return tests.map((test) => told(`${name} > ${test.fullName}`, test.failureMessages.join('\n')))
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
        told(`${attribute(test, 'classname')} > ${attribute(test, 'name')}`, attribute(failure, 'message')),
      ),
    }
  } catch {
    return { ...UNREADABLE }
  }
}

function told(name, message) {
  const lines = (message ?? '').split('\n').slice(0, MESSAGE_LINES)
  return [name, ...lines.map((line) => `    ${line}`)].join('\n')
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' }

function attribute(element, name) {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1] ?? ''
  return value.replace(/&(#10|\w+);/g, (entity, key) => ENTITIES[key] ?? entity)
}
