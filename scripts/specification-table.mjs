/**
 * docs/reference/specification.md: section of the specification → test → state, from the JSON report of a test run.
 *
 *   node scripts/specification-table.mjs REPORT.json           write it
 *   node scripts/specification-table.mjs REPORT.json --check   fail when it is stale
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const TABLE = resolve(import.meta.dirname, '../docs/reference/specification.md')
const [reportFile, flag] = process.argv.slice(2)
if (!reportFile) {
  console.error('usage: node scripts/specification-table.mjs REPORT.json [--check]')
  process.exit(2)
}
const table = specificationTable(JSON.parse(readFileSync(reportFile, 'utf8')))

if (flag !== '--check') {
  writeFileSync(TABLE, table)
} else if (currentTable() !== table) {
  console.error('docs/reference/specification.md is stale; run "npm run generate:specification".')
  process.exit(1)
}

function specificationTable(report) {
  const tests = report.testResults
    .filter(({ name }) => name.includes('tests/specification/'))
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ ancestorTitles, title, status }) => ({ section: ancestorTitles[0], title, status }))
  const sections = [...new Set(tests.map(({ section }) => section))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  const lines = sections.flatMap((section) =>
    tests
      .filter((test) => test.section === section)
      .map(({ title, status }) => `| ${section} | ${title.replaceAll('|', '\\|')} | ${status} |`),
  )
  return `<!-- Generated from tests/specification by "npm run generate:specification"; do not edit. -->

# The specification and its tests

One row per promise of the specification, in its order. Each test runs against a real service.

| section | promise | state |
|---|---|---|
${lines.join('\n')}
`
}

function currentTable() {
  try {
    return readFileSync(TABLE, 'utf8')
  } catch {
    return undefined
  }
}
