import { describe, expect, it } from 'vitest'
import { requestOf } from './registration-request'

type Training = Parameters<typeof requestOf>[1]

const prepared = {
  label_column: 'label',
  label_columns: null,
  patient_column: 'patient_id',
  split_column: null,
  image_columns: ['image_path'],
  numeric_columns: ['size'],
  categorical_columns: ['age', 'sex'],
  ignored_columns: { marker: 'ignored by the configuration' },
}
const training = (data: object, more: object = {}) =>
  ({ config: { data }, prepared: { ...prepared, ...more } }) as unknown as Training

describe('the registration of an evaluated table', () => {
  it('gives every column its role in the training, whatever its values suggest', () => {
    expect(requestOf('/data/test.csv', training({ image_root: '/images', positive_class: 'ack' }))).toEqual({
      path: '/data/test.csv',
      image_root: '/images',
      positive_class: 'ack',
      roles: {
        label: 'label',
        patient_id: 'patient',
        image_path: 'image',
        size: 'numeric',
        age: 'categorical',
        sex: 'categorical',
        marker: 'ignored',
      },
    })
  })

  it('names the columns of a survival outcome by their own keys', () => {
    const outcome = { time_column: 'days', event_column: 'dead' }
    const { roles, ...rest } = requestOf('t.csv', training(outcome, { label_column: 'days' }))
    expect(rest).toEqual({ path: 't.csv', ...outcome })
    expect(roles).not.toHaveProperty('days')
  })
})
