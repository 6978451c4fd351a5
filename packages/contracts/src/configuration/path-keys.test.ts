import { expect, it } from 'vitest'
import { DataConfig, LoopConfig, ModelConfig, PATH_KEYS } from '../index.js'

it('are the keys that name tables, folders and files', () => {
  expect(PATH_KEYS.map(({ section, key, kind }) => `${section}.${key}: ${kind}`)).toEqual([
    'data.train_csv: table',
    'data.val_csv: table',
    'data.test_csv: table',
    'data.image_root: folder',
    'model.pretrained: file',
  ])
})

/** A path may have 4096 characters, and no other text of a configuration may. */
it('are all keys that take a text as long as a path', () => {
  const marked = PATH_KEYS.map(({ section, key }) => `${section}.${key}`)
  const long = 'x'.repeat(4096)
  for (const [section, { shape }] of Object.entries({
    data: DataConfig,
    model: ModelConfig,
    training: LoopConfig,
  }))
    for (const [key, schema] of Object.entries(shape))
      expect(schema.safeParse(long).success, `${section}.${key}`).toBe(
        marked.includes(`${section}.${key}`) || UNBOUNDED.includes(`${section}.${key}`),
      )
})

/** Names of columns and classes are as long as the table has them. */
const UNBOUNDED = ['data.label_column', 'data.patient_column', 'data.split_column', 'data.positive_class']
