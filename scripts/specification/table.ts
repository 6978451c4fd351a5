import type { Sections } from '../../tests/specification/sentences/declaration.js'

/** The part of vitest's JSON report that is read. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly meta?: { readonly shows?: readonly string[] }
    }[]
  }[]
}

export interface Declaration {
  readonly sections: Sections
  readonly elsewhere: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>>
  readonly notTested: Readonly<Record<string, string>>
}

interface Test {
  readonly group: string
  readonly title: string
  readonly status: string
  readonly shows: readonly string[]
}

/**
 * docs/reference/specification.md: one row per promise of the specification, with the tests that verify it.
 *
 * @throws Error that names every test of an unknown promise, and every promise that has neither a test nor a reason, or both.
 */
export function specificationTable(report: TestReport, declaration: Declaration): string {
  const tests = testsOf(report)
  const promises = promisesOf(declaration.sections)
  const shown = (id: string) => [
    ...tests.filter(({ shows }) => shows.includes(id)).map(({ title }) => title),
    ...(declaration.elsewhere[id] ?? []).map(([file, title]) => `${title} (${file})`),
  ]
  const problems = problemsOf(tests, promises, declaration, shown)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const tested = promises.filter(({ id }) => shown(id).length > 0).length
  const cellOf = (id: string) => {
    const found = shown(id)
    return found.length > 0 ? found.map(escaped).join('<br>') : `not tested: ${declaration.notTested[id]}`
  }
  const sections = Object.keys(declaration.sections).flatMap((heading) => {
    const rows = promises.filter((promise) => promise.heading === heading)
    if (rows.length === 0) return []
    const lines = rows.map(({ id, text }) => `| ${id} | ${escaped(text)} | ${cellOf(id)} |`)
    return [`## ${heading}\n\n| | the specification | tests |\n|---|---|---|\n${lines.join('\n')}\n`]
  })
  const beyond = tests.filter(({ shows }) => shows.length === 0)
  const more = beyond.map((test) => `| ${test.group} | ${escaped(test.title)} |`)
  return `<!-- Generated from tests/specification by "npm run generate:specification"; do not edit. -->

# The specification and its tests

Every sentence of the specification, every row of its tables and every item of its lists has a row here, one that promises several
things a row for each. ${tested} of ${promises.length} rows have tests; the others state the reason. Unless a file is named, a test is in
tests/specification and runs against a real service.

${sections.join('\n')}
## Beyond the specification

What the specification leaves open and the service promises all the same.

| section | test |
|---|---|
${more.join('\n')}
`
}

/** Specification tests that did not pass in a run: their rows would refer to tests that verify nothing. */
export function notPassed(report: TestReport): string[] {
  return testsOf(report).flatMap(({ title, status }) =>
    status === 'passed' ? [] : [`"${title}" is ${status}`],
  )
}

function testsOf({ testResults }: TestReport): Test[] {
  return testResults
    .filter(({ name }) => name.includes('tests/specification/'))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ ancestorTitles, title, status, meta }) => ({
      group: ancestorTitles[0] ?? '',
      title,
      status,
      shows: meta?.shows ?? [],
    }))
}

function promisesOf(sections: Sections): { heading: string; id: string; text: string }[] {
  return Object.entries(sections).flatMap(([heading, sentences]) =>
    Object.entries(sentences)
      .flatMap(([id, sentence]) =>
        typeof sentence === 'string' ? [[id, sentence] as const] : Object.entries(sentence.parts),
      )
      .map(([id, text]) => ({ heading, id, text })),
  )
}

function problemsOf(
  tests: readonly Test[],
  promises: readonly { id: string }[],
  { elsewhere, notTested }: Declaration,
  shown: (id: string) => string[],
): string[] {
  const known = new Set(promises.map(({ id }) => id))
  const unknown = (ids: readonly string[]) => ids.filter((id) => !known.has(id))
  return [
    ...tests.flatMap((test) =>
      unknown(test.shows).map((id) => `"${test.title}" shows ${id}, which is not declared`),
    ),
    ...unknown([...Object.keys(elsewhere), ...Object.keys(notTested)]).map((id) => `${id} is not declared`),
    ...promises.flatMap(({ id }) => {
      const hasTest = shown(id).length > 0
      if (hasTest && notTested[id]) return [`${id} is said to be not tested, but has a test`]
      if (!hasTest && !notTested[id]) return [`${id} has no test, and no reason stands in not-tested.ts`]
      return []
    }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
