import { expect, it } from 'vitest'
import { countOf } from './numbers.js'

it('counts one patient and several patients', () => {
  expect([0, 1, 2, 1200].map((count) => countOf(count, 'patient'))).toEqual([
    '0 patients',
    '1 patient',
    '2 patients',
    '1 200 patients',
  ])
})
