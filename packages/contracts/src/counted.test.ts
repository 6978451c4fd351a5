import { expect, it } from 'vitest'
import { counted } from './counted.js'

it('counts in the singular and in the plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'patient'))).toEqual([
    '0 patients',
    '1 patient',
    '2 patients',
  ])
  expect([1, 2].map((count) => counted(count, 'class', 'classes'))).toEqual(['1 class', '2 classes'])
})
