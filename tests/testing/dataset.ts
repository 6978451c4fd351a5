import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PYTHON, REPOSITORY } from './service.js'

const GENERATOR = join(REPOSITORY, 'examples/make_dataset.py')
/** The files that it makes depend on these and on its arguments. */
const SOURCES = [GENERATOR, join(REPOSITORY, 'trainer/constraints.txt')]
const KEPT = join(REPOSITORY, 'node_modules/.cache/medloom-datasets')

/** A folder with train.csv, val.csv, test.csv and images/, made by the generator that the project ships. */
export function makeDataset(folder: string, options: Record<string, string | number> = {}): string {
  const flags = Object.entries({ cases: 60, size: 32, seed: 0, ...options }).flatMap(([key, value]) => [
    `--${key}`,
    String(value),
  ])
  cpSync(keptDataset(flags), folder, { recursive: true })
  return folder
}

/** Made once for the same arguments, of which it makes the same files: a start of Python takes longer than a copy. */
function keptDataset(flags: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(flags))
  for (const source of SOURCES) digest.update(readFileSync(source))
  const kept = join(KEPT, digest.digest('hex').slice(0, 16))
  if (existsSync(kept)) return kept
  mkdirSync(KEPT, { recursive: true })
  const made = mkdtempSync(join(KEPT, 'new-'))
  execFileSync(PYTHON, [GENERATOR, made, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    renameSync(made, kept)
  } catch (error) {
    // Another worker was sooner.
    rmSync(made, { recursive: true })
    if (!existsSync(kept)) throw error
  }
  return kept
}

/** Real data beside the checkout; tests that need it say so when it is not there. */
export const SHARED_DATA = join(REPOSITORY, '../shared/data')
export const PAD = join(SHARED_DATA, 'pad-ufes-20-subset')
export const hasPad = existsSync(join(PAD, 'train.csv'))

/** Rows of a simple CSV (no quoted separators), for tests that change one. */
export function readRows(csv: string): string[][] {
  return readFileSync(csv, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
}
