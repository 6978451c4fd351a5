import { expect, test } from 'vitest'
import { sentence } from './warnings.js'

test('a message begins with a capital letter unless it begins with a name', () => {
  expect(sentence('whether "age" is missing predicts the label')).toBe(
    'Whether "age" is missing predicts the label.',
  )
  for (const named of [
    'training.operating_points has no effect.',
    'external.csv has no column.',
    '"sex" is constant.',
  ])
    expect(sentence(named)).toBe(named)
})
