import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODES, ReportTexts, TrainerConfig } from '@medloom/contracts'
import { expect, it } from 'vitest'

const SOURCES = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }))

const naming = (words: readonly string[]) => {
  const pattern = new RegExp(
    `(?<![\\w.])(${words.map((word) => word.replaceAll('.', '\\.')).join('|')})(?!\\w)`,
    'g',
  )
  return SOURCES.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([word]) => `${name}: ${word}`))
}

it('the engine names no node: all it needs is in the definition of a node', () => {
  expect(SOURCES.length).toBeGreaterThan(25)
  expect(naming(Object.keys(NODES))).toEqual([])
})

it('the engine knows no training: neither its configuration nor a key of it', () => {
  const keys = Object.entries({ ...TrainerConfig.shape, report: ReportTexts }).flatMap(
    ([section, { shape }]) => Object.keys(shape).map((key) => `${section}.${key}`),
  )
  expect(keys.length).toBeGreaterThan(30)
  expect(naming([...keys, 'TrainingConfig', 'DataConfig', 'ModelConfig', 'LoopConfig'])).toEqual([])
})
