import { expect, it } from 'vitest'
import { DataConfig, LoopConfig, ModelConfig, namesFolder, PATH_KEYS } from '../index.js'

it('are the keys that name tables, folders, files and checkpoints', () => {
  expect(PATH_KEYS.map(({ section, key, kind }) => `${section}.${key}: ${kind}`)).toEqual([
    'data.train_csv: table',
    'data.val_csv: table',
    'data.test_csv: table',
    'data.image_root: folder',
    'model.pretrained: file',
    'model.fine_tune_from: checkpoint',
  ])
})

it('distinguish the folder of a checkpoint from an id by its separator', () => {
  const ids = ['resnet18_gated_001', 'latest', '3be0d2f4-8f4e-4b0a-9a53-1a7f0c3a2b11']
  expect(ids.filter(namesFolder)).toEqual([])
  expect(['./best', 'runs/a/checkpoints/best', '/x', 'C:\\best'].filter(namesFolder)).toHaveLength(4)
})

/** A path may have 4096 characters; no other text of a configuration may. */
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

/** Names of columns and classes have no length limit, because tables have none. */
const UNBOUNDED = [
  'data.label_column',
  'data.time_column',
  'data.event_column',
  'data.patient_column',
  'data.split_column',
  'data.positive_class',
]
