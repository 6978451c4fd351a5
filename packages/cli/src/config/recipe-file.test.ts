import { Recipe, type RecipeProposal, TrainingConfig } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { recipeFile } from './recipe-file.js'

const recipe = Recipe.parse({
  version: 1,
  files: [{ name: 'metadata', path: 'metadata.csv' }],
  missing: { columns: { 'bmi.kg': ['[Not Available]'] } },
  images: [{ column: 'image', search: ['part_1', 'part_2'], key: 'image_id' }],
  patient: { column: 'lesion_id' },
})
const proposal: RecipeProposal = {
  path: '/data/HAM',
  template: null,
  recipe,
  settings: { ignore_columns: ['dx_type'] },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  reasons: [
    { key: 'images[0]', message: '"image_id" names 40 files' },
    { key: 'patient.column', message: '"lesion_id" repeats' },
  ],
  questions: [{ key: 'label', message: 'Which column is the label?', choices: ['dx', 'sex'] }],
  rows: 40,
  columns: ['lesion_id', 'image_id', 'dx'],
}

it('writes a configuration that can be trained, with the recipe as it was proposed', () => {
  const written = parse(recipeFile(proposal))
  expect(written.data).toEqual({ train_csv: '/data/HAM', ignore_columns: ['dx_type'], recipe })
  expect(TrainingConfig.safeParse(written).error).toBeUndefined()
  expect(written.training.batch_size).toBe(4)
})

it('explains each line by its evidence, else by the title of its key, and asks above', () => {
  const lines = recipeFile(proposal).split('\n')
  expect(lines[1]).toBe('# Open: Which column is the label? dx, sex')
  expect(lines[lines.findIndex((line) => line.includes('- column: image')) - 1]).toBe(
    '      # "image_id" names 40 files',
  )
  expect(lines).toContain('      column: lesion_id # "lesion_id" repeats')
  const own = lines.slice(lines.indexOf('  recipe:') + 1)
  const silent = own
    .slice(0, own.indexOf('model:'))
    .filter(
      (line, index) => /^\s*(- )?\w+:/.test(line) && !line.includes('#') && !own[index - 1]?.includes('#'),
    )
  expect(silent).toEqual([])
})
