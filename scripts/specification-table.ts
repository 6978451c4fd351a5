/**
 * docs/reference/specification.md: sentence of the specification → its tests, from vitest's JSON report.
 *
 *   tsx scripts/specification-table.ts REPORT.json           write it; the tests need not have run
 *   tsx scripts/specification-table.ts REPORT.json --check   fail if it is stale, or if one of its tests did not pass
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SHOWN_ELSEWHERE } from '../tests/specification/sentences/elsewhere.js'
import { SECTIONS } from '../tests/specification/sentences/index.js'
import { NOT_TESTED } from '../tests/specification/sentences/not-tested.js'
import { notPassed, specificationTable, type TestReport } from './specification/table.js'

const TABLE = resolve(import.meta.dirname, '../docs/reference/specification.md')
const [reportFile, flag] = process.argv.slice(2)
if (!reportFile) {
  console.error('usage: tsx scripts/specification-table.ts REPORT.json [--check]')
  process.exit(2)
}
const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
const table = specificationTable(report, {
  sections: SECTIONS,
  elsewhere: SHOWN_ELSEWHERE,
  notTested: NOT_TESTED,
})
const current = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : ''

if (flag !== '--check') writeFileSync(TABLE, table)
else {
  const problems = notPassed(report)
  if (current !== table)
    problems.push('docs/reference/specification.md is stale; run "npm run generate:specification".')
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
