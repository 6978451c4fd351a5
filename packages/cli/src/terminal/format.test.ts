import { expect, test } from 'vitest'
import { number } from './format.js'

test.each([
  [0.5, '0.500'],
  [0, '0.000'],
  [0.0123, '0.012'],
  [0.00412, '0.0041'],
  [-0.00000012, '-1.2e-7'],
  [12.3456, '12.346'],
  [null, '–'],
])('%d is shown as %s', (value, text) => expect(number(value)).toBe(text))
