// Checks that run no tests. They use one core each and run in parallel with the suites; the fast ones first, so that their errors show early.
import { join } from 'node:path'
import { ONE_CHECKER } from '../compile.mjs'

/** Static checks, fastest first. */
export function staticChecks({ root, bin, python }) {
  const tsc = (...args) => [...bin('typescript/bin/tsc'), ...args, ...ONE_CHECKER]
  const checks = [
    { id: 'ruff', title: 'Lint (ruff)', command: [python, '-m', 'ruff', 'check', '--no-cache', '.'] },
    { id: 'language', title: 'Language', command: [process.execPath, join(root, 'scripts/language.mjs')] },
    { id: 'types', title: 'Types (tsc)', command: tsc('-b') },
    {
      id: 'generated',
      title: 'Generated files are current',
      command: [
        ...bin('tsx/dist/cli.mjs'),
        '--conditions=medloom-source',
        join(root, 'scripts/generate.ts'),
        '--check',
      ],
    },
    {
      id: 'biome',
      title: 'Format and lint (biome)',
      command: [...bin('@biomejs/biome/bin/biome'), 'check', '.'],
    },
    {
      id: 'types-page',
      title: 'Types of the tests of the page (tsc)',
      command: tsc('-p', 'tests/page'),
    },
    {
      id: 'types-tests',
      title: 'Types of tests and benches (tsc)',
      command: tsc('-p', 'tsconfig.tests.json'),
    },
    {
      id: 'mypy',
      title: 'Types (mypy)',
      command: [python, '-m', 'mypy'],
      cwd: join(root, 'trainer'),
    },
  ]
  return checks.map((check) => ({ ...check, lane: 'static' }))
}

/** The table of the specification against the report of the service's tests. */
export function specificationCheck({ root, bin }, report) {
  return {
    id: 'specification',
    title: 'The specification and its tests are current',
    command: [...bin('tsx/dist/cli.mjs'), join(root, 'scripts/specification-table.ts'), report, '--check'],
  }
}
