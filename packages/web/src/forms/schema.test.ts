import study from '@medloom/contracts/study.schema.json' with { type: 'json' }
import configuration from '@medloom/contracts/training-config.schema.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { type Field, fieldsOf, KINDS, type Schema } from './schema'

const every = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...every(field.fields)])

describe('a form from a schema', () => {
  for (const [name, schema] of Object.entries({ configuration, study }))
    it(`has a field for every key of a ${name}`, () => {
      const fields = every(fieldsOf(schema as Schema))
      expect(fields.length).toBeGreaterThan(5)
      for (const { path, kind, choices, fields: inner } of fields) {
        expect(KINDS, path.join('.')).toContain(kind)
        if (kind === 'choice' || kind === 'choices') expect(choices.length, path.join('.')).toBeGreaterThan(0)
        if (kind === 'group') expect(inner.length, path.join('.')).toBeGreaterThan(0)
      }
    })

  const byPath = new Map(
    every(fieldsOf(configuration as Schema)).map((field) => [field.path.join('.'), field]),
  )

  it('makes of each type the field that fits', () => {
    const kinds = Object.fromEntries([...byPath].map(([path, { kind }]) => [path, kind]))
    expect(kinds).toMatchObject({
      data: 'group',
      'data.train_csv': 'path',
      'data.val_csv': 'path',
      'data.label_column': 'text',
      'data.numeric_columns': 'texts',
      'model.fusion_type': 'choice',
      'model.task': 'choice',
      'model.members': 'integer',
      'model.aggregator_learnable': 'switch',
      'model.pretrained': 'value',
      'training.learning_rate': 'number',
      'training.early_stopping': 'group',
      'data.fold': 'value',
      baselines: 'choices',
    })
  })

  it('makes rows of a list of objects, and a record of keys that nobody can list', () => {
    const byName = new Map(every(fieldsOf(study as Schema)).map((field) => [field.path.join('.'), field]))
    const kinds = Object.fromEntries([...byName].map(([path, { kind }]) => [path, kind]))
    expect(kinds).toMatchObject({
      'config.training.epochs': 'integer',
      seeds: 'value',
      folds: 'group',
      'folds.k': 'integer',
      'folds.values': 'texts',
      variants: 'rows',
      'variants.name': 'text',
      'variants.config': 'record',
      'search.sampler': 'choice',
      'search.space': 'record',
      baselines: 'choices',
      parallel: 'integer',
    })
    expect(byName.get('variants.name')?.required).toBe(true)
    // A study without a search needs no sampler.
    expect(byName.get('search.sampler')?.required).toBe(false)
  })

  it('knows what is required, what may be absent, the default and the range', () => {
    expect(byPath.get('training.epochs')).toMatchObject({ required: true, minimum: 1, maximum: 100_000 })
    expect(byPath.get('data.val_csv')).toMatchObject({ required: false, nullable: true, default: null })
    expect(byPath.get('model.dropout')).toMatchObject({ default: 0.1, maximum: 0.95 })
  })
})
