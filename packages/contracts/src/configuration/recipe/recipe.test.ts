import { describe, expect, it } from 'vitest'
import { check, placeholdersOf, Recipe, TrainingConfig } from '../../index.js'

const issuesOf = (recipe: unknown) => {
  const checked = check(Recipe, recipe, 'recipe')
  return checked.ok ? [] : checked.issues
}
const wrong = (parts: object) =>
  issuesOf({ version: 1, ...parts }).map(({ path, message }) => `${path}: ${message}`)

describe('a recipe', () => {
  it('describes a set of one table and two folders of images', () => {
    const recipe = {
      version: 1,
      files: [{ name: 'metadata', path: 'HAM10000_metadata.csv' }],
      images: [
        { column: 'image', search: ['HAM10000_images_part_1', 'HAM10000_images_part_2'], key: 'image_id' },
      ],
      patient: { column: 'lesion_id' },
      label: { column: 'dx', map: { mel: 'malignant', nv: 'benign' } },
    }
    expect(issuesOf(recipe)).toEqual([])
    expect(Recipe.parse(recipe)).toEqual(recipe)
  })

  it('reads whole numbers of YAML as the texts of cells', () => {
    const recipe = Recipe.parse({
      version: 1,
      missing: { columns: { dx: [-9, ''] } },
      label: { column: 'grade', map: { 1: 0, 2: 'high' } },
    })
    expect(recipe.missing?.columns).toEqual({ dx: ['-9', ''] })
    expect(recipe.label?.map).toEqual({ '1': '0', '2': 'high' })
    expect(Recipe.parse(recipe)).toEqual(recipe)
    expect(wrong({ missing: { columns: { dx: [0.5] } } })).toHaveLength(1)
  })

  it('is refused by its own message and remedy if it has a newer version', () => {
    const [issue] = issuesOf({ version: 2 })
    expect(issue).toMatchObject({ path: 'recipe.version', hint: expect.stringContaining('Update Medloom') })
    expect(issue?.message).toContain('version 2')
  })

  it('refuses a training while a question is open that no column of the configuration answers', () => {
    const issues = (data: object, recipe: object = {}) => {
      const model = { vision_backbone: 'none', fusion_type: 'concatenate' }
      const whole = { version: 1, open: ['label', 'patient'], ...recipe }
      const config = { data: { train_csv: 'x.csv', recipe: whole, ...data }, model }
      const checked = check(TrainingConfig, { ...config, training: { epochs: 1, batch_size: 2 } }, 'config')
      return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`)
    }
    const open = 'config.data.recipe.open: not ready: a question of the recipe is open: which column'
    expect(issues({})).toEqual([`${open} is the label`, `${open} identifies the patient`])
    expect(issues({ label_column: 'dx' })).toEqual([`${open} identifies the patient`])
    expect(issues({ label_column: 'dx' }, { patient: { column: 'id' } })).toEqual([])
  })

  it('names files below its source only', () => {
    for (const path of ['/etc/passwd', '../other.csv', 'a/../../b.csv', 'a//b.csv', 'a\\b.csv'])
      expect(wrong({ files: [{ name: 'table', path }] }), path).toHaveLength(1)
    expect(wrong({ images: [{ column: 'image', search: ['../images'] }] })).toHaveLength(1)
    expect(wrong({ images: [{ column: 'image', search: ['.'] }] })).toEqual([])
    expect(wrong({ split: { column: 'id', files: { train: '/lists/train.txt' } } })).toHaveLength(1)
  })

  it('has patterns whose placeholders are columns', () => {
    expect(placeholdersOf('{split}/{label}/{_}_{label}.png')).toEqual(['split', 'label'])
    for (const pattern of ['{a}{b}.png', '{a/b}.png', '{a.png', 'a}.png'])
      expect(wrong({ files: [{ name: 'images', pattern }] }), pattern).toHaveLength(1)
    expect(wrong({ columns: [{ from: 'path', pattern: 'a/{_}.png' }] })).toHaveLength(1)
    expect(wrong({ patient: { from: 'path', pattern: '{a}/{b}.png' } })).toHaveLength(1)
  })

  it('joins each of its other tables once', () => {
    const files = [{ name: 'a' }, { name: 'b', path: 'b.csv' }]
    expect(wrong({ files, join: [{ table: 'b', on: ['id'] }] })).toEqual([])
    expect(wrong({ files })).toEqual(['recipe.files.1.name: the table "b" is not joined'])
    expect(wrong({ files, join: [{ table: 'c', on: ['id'] }] })).toHaveLength(2)
    expect(wrong({ files: [files[0], files[0]] })).toHaveLength(1)
  })

  it('refuses keys that contradict each other, with the key', () => {
    const label = (parts: object) => wrong({ label: parts }).map((text) => text.split(':')[0])
    expect(label({})).toEqual(['recipe.label.column'])
    expect(label({ column: 'dx', one_hot: ['a', 'b'] })).toEqual(['recipe.label.column'])
    expect(label({ time: 'OS_MONTHS' })).toEqual(['recipe.label.event'])
    expect(label({ column: 'dx', uncertain: { '-1': 'positive' } })).toEqual(['recipe.label.uncertain'])
    expect(label({ column: 'Finding Labels', findings: ['Mass'] })).toEqual(['recipe.label.delimiter'])
    expect(label({ findings: ['Edema', 'Mass'], uncertain: { '-1': 'positive', '': 'negative' } })).toEqual(
      [],
    )
    expect(wrong({ patient: { column: 'id', from: 'path' } })).toHaveLength(1)
    expect(wrong({ split: { column: 's', words: { train: ['a'] }, files: { val: 'v.txt' } } })).toHaveLength(
      1,
    )
    expect(wrong({ rows: { case: ['id'], rule: 'first', positive: '1' } })).toHaveLength(1)
    expect(wrong({ files: [{ name: 'a', dicom: true, sheet: 1 }] })).toHaveLength(1)
    expect(wrong({ files: [{ name: 'a', skip: 2, header_row: 3 }] })).toHaveLength(1)
    expect(wrong({ images: [{ column: 'image' }] })).toHaveLength(1)
  })

  it('gives a column one meaning, and a word one split', () => {
    const places = (parts: object) => wrong(parts).map((text) => text.split(':')[0])
    const label = { column: 'dx' }
    const patient = { column: 'id' }
    for (const column of ['dx', 'id']) {
      expect(places({ label, patient, images: [{ column, suffixes: ['.png'] }] })).toEqual([
        'recipe.images.0.column',
      ])
      expect(places({ label, patient, split: { column, words: { train: ['a'] } } })).toEqual([
        'recipe.split.column',
      ])
    }
    expect(places({ label, patient, split: { column: 'id', files: { train: 'train.txt' } } })).toEqual([])
    expect(places({ label, patient: { column: 'dx' } })).toEqual(['recipe.patient.column'])
    expect(places({ label, patient: { from: 'path', pattern: '{dx}/{_}' } })).toEqual([
      'recipe.patient.pattern',
    ])
    expect(places({ label: { time: 'days', event: 'days' } })).toEqual(['recipe.label.event'])
    expect(places({ label: { findings: ['Mass', 'Mass'] } })).toEqual(['recipe.label.findings'])
    expect(places({ split: { column: 's', words: { train: ['a', 'a'], test: ['a'] } } })).toEqual([
      'recipe.split.words.test',
    ])
  })

  it('decides time and event of a case together', () => {
    const label = { time: 'days', event: 'status' }
    for (const [rule, count] of Object.entries({ any: 1, majority: 1, first: 0, all_agree: 0 }))
      expect(wrong({ label, rows: { case: ['id'], rule } }), rule).toHaveLength(count)
  })
})

describe('the recipe of a training', () => {
  const issues = (data: object, model: object = {}, training: object = {}) => {
    const config = {
      data: { train_csv: 'folder', ...data },
      model: { vision_backbone: 'none', fusion_type: 'concatenate', ...model },
      training: { epochs: 1, batch_size: 8, ...training },
    }
    const checked = check(TrainingConfig, config, 'config')
    return checked.ok ? [] : checked.issues.map(({ path }) => path)
  }
  const survival = {
    version: 1,
    label: { time: 'months', event: 'status', event_map: { dead: 1, alive: 0 } },
  }
  const findings = { version: 1, label: { findings: ['Edema', 'Mass'] } }

  it('defines the task like label columns of the configuration', () => {
    expect(issues({ recipe: findings }, { task: 'multilabel' })).toEqual([])
    expect(issues({ recipe: survival }, { task: 'survival' })).toEqual([])
    expect(issues({ recipe: survival }, {}, { loss_function: 'focal' })).toContain(
      'config.training.loss_function',
    )
    expect(issues({ recipe: findings }, {}, { loss_function: 'mse' })).toContain(
      'config.training.loss_function',
    )
    expect(issues({ recipe: null }, { task: 'survival' })).toHaveLength(2)
    expect(issues({ recipe: { version: 1 } }, { task: 'multilabel' })).toEqual(['config.data.label_columns'])
  })
})
