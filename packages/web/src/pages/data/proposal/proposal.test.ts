import type { RecipeProposal } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  adoptedRequest,
  answerable,
  answeredRequest,
  answersOf,
  NO_COLUMN,
  needsRecipe,
  notes,
  recipeYaml,
  trainingSettings,
} from './proposal'

const question = (key: string, choices: readonly string[] = []) => ({ key, message: `${key}?`, choices })
const proposal = (more: Partial<RecipeProposal> | object = {}) =>
  ({
    ...{
      path: '/data/set',
      template: null,
      recipe: { version: 1, label: { column: 'dx' } },
      settings: {},
      model: {},
    },
    ...{ reasons: [], questions: [], rows: 40, columns: ['id', 'dx', 'image'] },
    ...more,
  }) as RecipeProposal

describe('the questions of a proposal', () => {
  it('offer their choices, and every column where there are none', () => {
    const questions = [question('label', ['dx']), question('patient')]
    expect(answerable(proposal({ questions }), {}).map(({ choices }) => choices)).toEqual([
      ['dx'],
      ['id', 'dx', 'image', NO_COLUMN],
    ])
  })

  it('remain when they are answered, so that the answer can be changed', () => {
    const [label, rows] = answerable(proposal(), { label: 'dx', rows: 'any' })
    expect(label).toEqual({ key: 'label', choices: ['id', 'dx', 'image'] })
    expect(rows?.choices).toContain('all_agree')
  })

  it('include the decisions of a published layout, and are separate from its notes', () => {
    const [decision, note] = [question('data.recipe.label', ['Two classes']), question('data.recipe.patient')]
    const found = proposal({ questions: [decision, note] })
    expect(answerable(found, {})).toEqual([{ ...decision, isDecided: true }])
    expect(notes(found)).toEqual([note])
  })

  it('are answered in the next request', () => {
    const answers = { label: 'dx', rows: 'any', 'data.recipe.label': 'Two classes' }
    const request = answeredRequest('/data/set', answers)
    expect(request).toEqual({
      path: '/data/set',
      label_column: 'dx',
      rows_rule: 'any',
      decisions: { 'data.recipe.label': 'Two classes' },
    })
    expect(answersOf(request)).toEqual(answers)
    expect(answeredRequest('/data/set', {})).toEqual({ path: '/data/set' })
    const none = answeredRequest('/data/set', { patient: NO_COLUMN })
    expect(none).toEqual({ path: '/data/set', patient_column: null })
    expect(answersOf(none)).toEqual({ patient: NO_COLUMN })
  })
})

describe('an adopted proposal', () => {
  const settings = { ignore_columns: ['width'], test_csv: '/data/set/test.csv' }

  it('is inspected with its recipe and the settings that an inspection has', () => {
    const { recipe, path } = proposal()
    expect(adoptedRequest(proposal({ settings }))).toEqual({ path, recipe, ignore_columns: ['width'] })
    expect(trainingSettings(proposal({ settings }))).toEqual([['test_csv', '/data/set/test.csv']])
  })

  it('has the image columns of a published layout as roles', () => {
    const inspected = adoptedRequest(proposal({ settings: { image_columns: ['File Location'] } }))
    expect(inspected).toMatchObject({ roles: { 'File Location': 'image' } })
    expect(inspected).not.toHaveProperty('image_columns')
  })

  it('is shown as parts of a configuration', () => {
    const { recipe, path } = proposal()
    const data = { train_csv: path, ...settings, recipe }
    expect(parse(recipeYaml({ path, recipe, settings, model: {} }))).toEqual({ data })
    const model = { task: 'multilabel' }
    expect(parse(recipeYaml({ path, recipe, settings, model }))).toEqual({ data, model })
  })
})

describe('a proposal is requested', () => {
  const failed = (code: string, request: object) =>
    needsRecipe({ state: 'failed', error: { error: '', details: '', code }, request: request as never })

  it.each([
    ['DATASET_INVALID', { path: '/data/set' }, true],
    ['CSV_MALFORMED', { path: '/data/cases.xlsx' }, true],
    ['CSV_MALFORMED', { path: '/data/cases.csv' }, false],
    ['DATASET_INVALID', { path: '/data/set', recipe: { version: 1 } }, false],
    ['FILE_NOT_FOUND', { path: '/data/set' }, false],
  ])('after %s of %j: %s', (code, request, expected) => {
    expect(failed(code, request)).toBe(expected)
  })
})
