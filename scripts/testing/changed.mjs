// npm run test:changed: the tests affected by changed files, based on the graphs of imports.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { affectedBy } from './affected.mjs'
import { UsageError } from './options.mjs'
import { pythonGraph, readPythonImports, testsOfSameFolder } from './python-graph.mjs'
import { scriptGraph } from './script-graph.mjs'
import { bySuite, suiteOf } from './select.mjs'

const DOCUMENTS = [
  'packages/cli/src/documented-commands.test.ts',
  'scripts/documents/commands.test.mjs',
  'scripts/documents/documents.test.mjs',
]

/**
 * Test files by suite, and the changed files that no test imports. Tests that need a cluster are excluded.
 *
 * @throws UsageError if git does not know the commit
 */
export async function affectedTests({ root, python, since = 'HEAD' }) {
  const all = git(root, ['ls-files', '--cached', '--others', '--exclude-standard'], since)
  const files = all.filter((file) => existsSync(join(root, file)))
  const changed = [
    ...git(root, ['diff', '--name-only', since], since),
    ...git(root, ['ls-files', '--others', '--exclude-standard'], since),
  ]
  const trainer = files.filter((file) => file.startsWith('trainer/') && !file.endsWith('.py'))
  const graph = {
    ...scriptGraph(root, files),
    ...pythonGraph(await readPythonImports(root, python), trainer),
  }
  const { tests, unreached } = testsFor(changed, graph)
  const { cluster = [], ...suites } = bySuite(tests.filter((file) => files.includes(file)))
  return { suites, unreached, changed: changed.length, clusterTests: cluster.length }
}

/** Tests that a change of the files affects, and the files that none imports. */
export function testsFor(changed, graph) {
  const allTests = Object.keys(graph).filter((file) => suiteOf(file) !== undefined)
  const tests = new Set()
  const unreached = []
  for (const file of changed) {
    const affected = [...affectedBy(graph, [file])].filter((other) => suiteOf(other) !== undefined)
    const found = [...affected, ...(affected.length === 0 ? otherTests(file, allTests) : [])]
    if (found.length === 0) unreached.push(file)
    for (const test of found) tests.add(test)
  }
  return { tests: [...tests].sort(), unreached }
}

/** Tests that read a file without importing it. */
function otherTests(file, allTests) {
  if (file.endsWith('.md') || file === 'package.json') return DOCUMENTS
  return testsOfSameFolder(file, allTests)
}

function git(root, args, since) {
  try {
    const output = execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 26,
    })
    return output.split('\n').filter(Boolean)
  } catch (error) {
    throw new UsageError(
      `git does not find the changes since "${since}": ${error.stderr?.trim() || error.message}`,
    )
  }
}
