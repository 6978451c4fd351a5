// Final output of a run.
import { slowest } from './durations.mjs'
import { aligned } from './times.mjs'

/** Duration of each part, longest first, and the slowest tests of the run. */
export function timesOf(results) {
  const parts = [...results]
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ title, seconds, outcome }) => [`${seconds.toFixed(1)} s`, title, testCount(outcome)])
  const tests = slowest(results.flatMap(({ durations }) => durations)).map(({ name, seconds }) => [
    `${seconds.toFixed(1)} s`,
    name,
  ])
  const sections = [['Parts:', parts], ...(tests.length > 0 ? [['Slowest tests:', tests]] : [])]
  return sections.map(([heading, rows]) => `${heading}\n${indented(aligned(rows))}`).join('\n\n')
}

function testCount({ passed, failed }) {
  return passed + failed > 1 ? `${passed + failed} tests` : ''
}

const indented = (text) => text.replaceAll(/^/gm, '  ')

/** The failed checks with their failed tests, or a statement that there are none. */
export function failuresOf(results, problems = []) {
  const failed = results.filter(({ ok }) => !ok)
  const lines = failed.map(({ title, outcome }) => [title, ...outcome.failures].join('\n  '))
  if (lines.length + problems.length === 0) return 'Every check passed.'
  return ['Failed:', ...lines, ...problems].join('\n')
}

/** Counts over all checks. */
export function totalOf(results) {
  const sum = (key) => results.reduce((total, { outcome }) => total + outcome[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}

/** The last line of every run. */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
