import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKS } from './check-names'

const TRAINER = join(import.meta.dirname, '../../../../../trainer/src/medloom_trainer')
const FILE_STATE = join(import.meta.dirname, '../../../../server/src/datasets/file-state.ts')
/** Names of warnings from the catalog are in capital letters. */
const MADE = /checks\.(?:pass_|warn|block)\(\s*(f?)"([a-z_{}]+)"/g

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '{noun}': ['patient', 'image'],
  '{split}': ['train', 'val', 'test'],
}

function filled(key: string): string[] {
  const [name = ''] = /\{\w+\}/.exec(key) ?? []
  return (NAMES[name] ?? []).map((one) => key.replace(name, one))
}

test('every check that the trainer or the service makes has a name', () => {
  const sources = readdirSync(TRAINER, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.py'))
    .map((path) => readFileSync(join(TRAINER, path), 'utf8'))
  const ofTrainer = sources.flatMap((source) =>
    [...source.matchAll(MADE)].flatMap(([, isTemplate, key = '']) => (isTemplate ? filled(key) : [key])),
  )
  const service = readFileSync(FILE_STATE, 'utf8').matchAll(/key: '(\w+)'/g)
  const keys = new Set([...ofTrainer, ...[...service].map(([, key = '']) => key)])
  expect([...keys].sort()).toEqual([...CHECKS])
})
