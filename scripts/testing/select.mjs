// From files and folders of the command line to the suites that run them.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { UsageError } from './options.mjs'

const SKIPPED = new Set(['node_modules', 'dist', 'bundle', '__pycache__'])

/** Suites of the test files; the first match applies. It must agree with the include patterns of vitest.config.ts. */
const ROUTES = [
  ['cluster', /^(packages\/[^/]+\/src\/.*\.cluster|tests\/cluster\/.*)\.test\.ts$/],
  ['page', /^tests\/page\/.*\.test\.ts$/],
  ['service', /^tests\/(specification|e2e)\/.*\.test\.ts$/],
  ['packages', /^(packages\/[^/]+\/(src|testing)|bench)\/.*\.test\.tsx?$/],
  ['packages', /^scripts\/.*\.test\.(mjs|ts)$/],
  ['trainer', /^trainer\/tests\/.*\btest_[^/]*\.py$/],
]

/** The suite of a test file, by its path from the root; undefined if it is not a test. */
export function suiteOf(file) {
  return ROUTES.find(([, pattern]) => pattern.test(file))?.[0]
}

/**
 * Test files by suite. A file can have the name of a test of pytest: trainer/tests/test_a.py::test_b. In a folder, tests that need a
 * cluster are excluded unless the folder is tests/cluster.
 *
 * @throws UsageError
 */
export function selectFiles(root, names, cwd = root) {
  const selected = names.flatMap((name) => {
    const [path, ...test] = name.split('::')
    const file = relative(root, resolve(cwd, path)).split(sep).join('/')
    if (!existsSync(join(root, file))) throw new UsageError(`${name} does not exist.`)
    if (statSync(join(root, file)).isDirectory()) return testsInFolder(root, file, name)
    if (suiteOf(file) === undefined)
      throw new UsageError(`${name} is not a test. "npm run test:changed" runs the tests of a changed file.`)
    return [[file, ...test].join('::')]
  })
  return bySuite(selected)
}

/** Groups test files by their suite. */
export function bySuite(files) {
  const groups = {}
  for (const file of new Set(files)) {
    const suite = suiteOf(file.split('::')[0])
    if (suite) groups[suite] = [...(groups[suite] ?? []), file]
  }
  return groups
}

function testsInFolder(root, folder, name) {
  const wanted = (suite) => suite !== undefined && (suite !== 'cluster' || folder.startsWith('tests/cluster'))
  const files = [...filesBelow(root, folder)].filter((file) => wanted(suiteOf(file)))
  if (files.length === 0) throw new UsageError(`${name} contains no tests.`)
  return files
}

/** Every file below a folder that is not installed or built, as a path from the root. */
export function* filesBelow(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || entry.name.startsWith('.')) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, path)
    else yield path
  }
}

const MARKED_FULL = /@module-tag full\b|tags: *\[[^\]]*'full'|\bmark\.full\b/

/** Test files by suite that contain tests marked "full". */
export function filesMarkedFull(root) {
  const files = ['packages', 'scripts', 'bench', 'tests', 'trainer/tests'].flatMap((folder) => [
    ...filesBelow(root, folder),
  ])
  return bySuite(
    files.filter(
      (file) => suiteOf(file) !== undefined && MARKED_FULL.test(readFileSync(join(root, file), 'utf8')),
    ),
  )
}
