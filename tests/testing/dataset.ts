import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PYTHON, REPOSITORY } from './service.js'

/** A folder with train.csv, val.csv, test.csv and images/, made by the generator that the project ships. */
export function makeDataset(folder: string, options: Record<string, string | number> = {}): string {
  const flags = Object.entries({ cases: 60, size: 32, seed: 0, ...options }).flatMap(([key, value]) => [
    `--${key}`,
    String(value),
  ])
  execFileSync(PYTHON, [join(REPOSITORY, 'examples/make_dataset.py'), folder, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return folder
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
