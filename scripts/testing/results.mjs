// .test-results: a folder per run with the output and the report of every check, and the times of the runs.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const KEPT_RUNS = 10

/** The folder of all runs. */
export const resultsIn = (root) => join(root, '.test-results')
/** The file with the times of the runs. */
export const timesFileIn = (root) => join(resultsIn(root), 'times.jsonl')

/** A new folder for a run; the oldest are removed. */
export function newRunFolder(root) {
  const folder = resultsIn(root)
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${process.pid}`
  mkdirSync(join(folder, name), { recursive: true })
  const runs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = runs.map((entry) => entry.name).sort()
  for (const old of names.slice(0, -KEPT_RUNS)) rmSync(join(folder, old), { recursive: true, force: true })
  return join(folder, name)
}

/** Commit of the working tree, with "+" if it has changes. */
export function currentCommit(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}
