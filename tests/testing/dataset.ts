import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PYTHON, REPOSITORY } from './service.js'

const GENERATOR = join(REPOSITORY, 'examples/make_dataset.py')
/** The generated files depend on these files and on the arguments. */
const SOURCES = [GENERATOR, join(REPOSITORY, 'trainer/constraints.txt')]
const KEPT = join(REPOSITORY, 'node_modules/.cache/medloom-datasets')

/** A folder with train.csv, val.csv, test.csv and images/, created by the generator of the project. */
export function makeDataset(folder: string, options: Record<string, string | number> = {}): string {
  const flags = Object.entries({ cases: 60, size: 32, seed: 0, ...options }).flatMap(([key, value]) => [
    `--${key}`,
    String(value),
  ])
  cpSync(keptDataset(flags), folder, { recursive: true })
  return folder
}

/** Created once per set of arguments, because the files are the same: starting Python takes longer than a copy. */
function keptDataset(flags: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(flags))
  for (const source of SOURCES) digest.update(readFileSync(source))
  const cached = join(KEPT, digest.digest('hex').slice(0, 16))
  if (existsSync(cached)) return cached
  mkdirSync(KEPT, { recursive: true })
  const made = mkdtempSync(join(KEPT, 'new-'))
  execFileSync(PYTHON, [GENERATOR, made, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    renameSync(made, cached)
  } catch (error) {
    // Another worker was faster.
    rmSync(made, { recursive: true })
    if (!existsSync(cached)) throw error
  }
  return cached
}

/** Real data next to the checkout, or in the folder that MEDLOOM_SHARED names; tests that need it report it if it is missing. */
export const SHARED_DATA = join(process.env.MEDLOOM_SHARED ?? join(REPOSITORY, '../shared'), 'data')
export const PAD = join(SHARED_DATA, 'pad-ufes-20-subset')
export const hasPad = existsSync(join(PAD, 'train.csv'))

/** Rows of a simple CSV (without quoted separators), for tests that change one. */
export function readRows(csv: string): string[][] {
  return readFileSync(csv, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
}
