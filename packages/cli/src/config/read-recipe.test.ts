import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readRecipe } from './read-recipe.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-recipe-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('reads a recipe from a configuration or from a file of its own', () => {
  const read = (text: string) => {
    writeFileSync(join(folder, 'recipe.yaml'), text)
    return readRecipe(join(folder, 'recipe.yaml'))
  }
  expect(read('data:\n  train_csv: study\n  recipe: {version: 1}\n')).toEqual({ version: 1 })
  expect(read('version: 1\npatient: {column: id}\n')).toEqual({ version: 1, patient: { column: 'id' } })
  for (const other of ['data: {train_csv: study}', 'data: {recipe: null}', '[1]', ''])
    expect(() => read(other), other).toThrow('does not contain a recipe')
})
