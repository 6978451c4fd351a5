import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrainingConfig } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeJsonAtomically, writeTextAtomically } from './files.js'
import { createRunDirectory, RunDirectory } from './run-directory.js'
import { formatSize } from './size.js'

const folder = () => mkdtempSync(join(tmpdir(), 'medloom-files-'))

test('a file is replaced completely, private, and without temporary files', async () => {
  const path = join(folder(), 'a.json')
  await writeTextAtomically(path, 'old')
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => writeJsonAtomically(path, { i, text: 'x'.repeat(10_000) })),
  )
  expect(JSON.parse(readFileSync(path, 'utf8')).text).toHaveLength(10_000)
  expect(readdirSync(join(path, '..'))).toEqual(['a.json'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('after a failed write the old content and no temporary file remain', async () => {
  const base = folder()
  mkdirSync(join(base, 'a.json'))
  await expect(writeTextAtomically(join(base, 'a.json'), 'new')).rejects.toThrow()
  expect(readdirSync(base)).toEqual(['a.json'])
})

test('config.yaml of a run starts the same training again', async () => {
  const config = TrainingConfig.parse({
    data: { train_csv: '/data/train: a.csv' },
    model: { vision_backbone: 'ResNet18', fusion_type: 'gated' },
    training: { epochs: 2, batch_size: 4, class_weights: { '0': 1, yes: 2.5 } },
  })
  const run = new RunDirectory(join(folder(), 'run'))
  await createRunDirectory(run, config)
  expect(TrainingConfig.parse(parse(readFileSync(run.config, 'utf8')))).toEqual(config)
  expect(readdirSync(run.path).sort()).toEqual(
    ['artifacts', 'checkpoints', 'config.yaml', 'evaluations', 'logs', 'metrics', 'reports'].sort(),
  )
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [143771 * 1024 * 1024, '140.4 GB'],
  [2 ** 40 - 1, '1024.0 GB'],
  [5 * 2 ** 50, '5.0 PB'],
])('%d bytes are %s', (bytes, text) => expect(formatSize(bytes)).toBe(text))
