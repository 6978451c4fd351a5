import { check, StudyConfig, type StudyFolds } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { AppError } from '../errors.js'
import { refuseLargeBatches } from './study-batches.js'

const BASE = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 16 },
}
const large = { training: { batch_size: 41 } }

/** The folds of a study with these numbers of training cases. */
function readOf(cases: readonly number[]): StudyFolds {
  const counts = { cases: 60, patients: null, class_counts: null }
  const folds = cases.map((training_cases, index) => ({
    fold: { k: cases.length, index, repeat: 0, seed: 0 },
    name: '',
    ...counts,
    training_cases,
  }))
  return { digest: '', ...counts, never_held_out: 0, training_cases: cases.length > 0 ? null : 40, folds }
}

/** The error of a study, or null. */
function refused(study: object, cases: readonly number[] = [50, 40]): AppError | null {
  const checked = check(StudyConfig, { config: BASE, ...study })
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  const read = readOf(cases)
  try {
    refuseLargeBatches(checked.value, read, read.folds)
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

test.each([
  ['of the base', { config: { ...BASE, ...{ training: { ...BASE.training, batch_size: 41 } } } }, 'config'],
  ['of a variant', { variants: [{ name: 'a' }, { name: 'b', config: large }] }, 'variants.1.config'],
  [
    'of the base, which a variant does not change',
    {
      config: { ...BASE, training: { ...BASE.training, batch_size: 41 } },
      variants: [{ name: 'a', config: { training: { batch_size: 40 } } }, { name: 'b' }],
    },
    'config',
  ],
  [
    'of the trials of a search',
    {
      config: { ...BASE, training: { ...BASE.training, batch_size: 41 } },
      variants: [{ name: 'a', config: { training: { batch_size: 40 } } }],
      search: { sampler: 'grid', space: { 'model.dropout': [0, 0.1] } },
    },
    'config',
  ],
])('a batch %s that is larger than the smallest training is refused at its place', (_, study, place) => {
  for (const cases of [[50, 40], []]) {
    const error = refused(study, cases)
    expect(error).toMatchObject({
      code: 'BATCH_TOO_LARGE',
      http: 400,
      message: expect.stringContaining('batch_size 41 is larger than the number of training cases (40 in'),
      issues: [{ path: `${place}.training.batch_size`, code: 'BATCH_TOO_LARGE' }],
    })
    expect(error?.details).toContain('smaller training.batch_size')
  }
})

test.each([
  [
    'as large as the smallest training',
    { variants: [{ name: 'a', config: { training: { batch_size: 40 } } }] },
  ],
  [
    'of a variant that validates on other cases',
    { variants: [{ name: 'a', config: { ...large, data: { val_fraction: 0.1 } } }] },
  ],
  [
    'that each trial sets itself',
    {
      config: { ...BASE, training: { ...BASE.training, batch_size: 41 } },
      variants: [{ name: 'a', config: { training: { batch_size: 40 } } }],
      search: { sampler: 'grid', space: { 'training.batch_size': [8, 16] } },
    },
  ],
])('a batch %s is accepted', (_, study) => {
  expect(refused(study)).toBeNull()
})
