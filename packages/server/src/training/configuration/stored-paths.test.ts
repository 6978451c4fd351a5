import { TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { StoredPaths } from './stored-paths.js'

const roots = [
  { name: 'study', folder: '/disk/study' },
  { name: 'atlas', folder: '/disk/study/atlas' },
  { name: '@data', folder: '/var/medloom' },
]
const paths = new StoredPaths(roots)
const config = (data: object, model: object = {}) =>
  TrainingConfig.parse({
    data: { train_csv: '/disk/study/train.csv', ...data },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate', ...model },
    training: { epochs: 1, batch_size: 2 },
  })
const stored = (data: object, model?: object) =>
  paths.toStored(config(data, model)) as { data: Record<string, unknown>; model: Record<string, unknown> }

describe('a path of a stored configuration', () => {
  it.each([
    [
      'below a root',
      '/disk/study/a/train.csv',
      { root: 'study', path: 'a/train.csv', folder: '/disk/study' },
    ],
    [
      'below the nearest root',
      '/disk/study/atlas/t.csv',
      { root: 'atlas', path: 't.csv', folder: '/disk/study/atlas' },
    ],
    [
      'in a run directory',
      '/var/medloom/runs/1/t.csv',
      { root: '@data', path: 'runs/1/t.csv', folder: '/var/medloom' },
    ],
    ['beside a root with a like name', '/disk/study-old/t.csv', '/disk/study-old/t.csv'],
    [
      'of a name with two dots',
      '/disk/study/..a/t.csv',
      { root: 'study', path: '..a/t.csv', folder: '/disk/study' },
    ],
  ])('is a root and a relative path: %s', (_, train_csv, expected) => {
    expect(stored({ train_csv }).data.train_csv).toEqual(expected)
    expect(paths.fromStored(stored({ train_csv }))).toEqual(config({ train_csv }))
  })

  it('may be the root itself; a value that is not a path is unchanged', () => {
    const { data, model } = stored({ image_root: '/disk/study' }, { pretrained: true })
    expect(data.image_root).toEqual({ root: 'study', path: '', folder: '/disk/study' })
    expect([data.val_csv, model.pretrained]).toEqual([null, true])
    expect(paths.fromStored({ data, model, training: {} })).toMatchObject({
      data: { image_root: '/disk/study' },
      model: { pretrained: true },
    })
  })

  const trainCsv = (now: { name: string; folder: string }[]) =>
    new StoredPaths(now).fromStored(stored({})).data.train_csv
  it.each([
    [
      'at the current location of its root',
      [{ name: 'study', folder: '/new/place' }],
      '/new/place/train.csv',
    ],
    [
      'at the former location of its root, if a root is still there, whatever its name',
      [
        { name: 'study', folder: '/other/study' },
        { name: 'study-2', folder: '/disk/study' },
      ],
      '/disk/study/train.csv',
    ],
    ['as it was, when its root is not configured any more', [], '/disk/study/train.csv'],
  ])('is found %s', (_, now, expected) => {
    expect(trainCsv(now)).toBe(expected)
  })

  it('of an older version is absolute, and read unchanged', () => {
    const old = JSON.parse(JSON.stringify(config({ val_csv: '/disk/study/val.csv' })))
    expect(paths.fromStored(old)).toEqual(config({ val_csv: '/disk/study/val.csv' }))
  })
})
