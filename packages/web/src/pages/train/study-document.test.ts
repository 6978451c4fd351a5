import { StudyConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { studyOf } from './study-document'

const BASE = `# the first
data:
  train_csv: train.csv # of the clinic
  fold: null
model:
  vision_backbone: none
  fusion_type: concatenate
training:
  epochs: 2
  batch_size: 8
  seed: 7
baselines: [random_forest]
`

describe('a configuration as a study', () => {
  it('is one that the contract takes, with the comments of the base', () => {
    const text = studyOf(BASE, ' Lesions ')
    expect(StudyConfig.parse(parse(text))).toMatchObject({
      name: 'Lesions',
      seeds: 3,
      folds: { k: 5 },
      baselines: ['random_forest'],
      config: { data: { train_csv: 'train.csv' }, training: { epochs: 2, seed: 0 } },
    })
    expect(text).toContain('# of the clinic')
  })

  it('is a beginning also where nothing was written', () => {
    expect(parse(studyOf('', ''))).toEqual({ seeds: 3, folds: { k: 5 } })
  })
})
