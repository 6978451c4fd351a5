import { expect, it } from 'vitest'
import { numberOf } from './entered-number'

const POINT = { decimal: '.', thousands: ',' } as const
const COMMA = { decimal: ',', thousands: '.' } as const
const COMMA_ALONE = { decimal: ',', thousands: '' } as const

it.each([
  ['54.5', null, 54.5],
  ['54,5', null, 54.5],
  ['1.234', null, 1.234],
  ['1,234', null, 'ambiguous'],
  ['1.234', COMMA, 1234],
  ['1,234', COMMA, 1.234],
  ['1,234', POINT, 1234],
  ['1.234', COMMA_ALONE, 'ambiguous'],
  ['1.234,5', POINT, 1234.5],
  ['1,234.5', COMMA, 1234.5],
  ['1.234.567', null, 1_234_567],
  ['1 234,5', null, 1234.5],
  ['0.123', COMMA, 0.123],
  ['\u22125', null, -5],
  ['<0.1', null, 0.1],
  ['89+', null, 89],
  ['1e-3', null, 0.001],
  ['old', null, 'notNumber'],
  ['1.2.3', null, 'notNumber'],
  ['12 %', null, 'notNumber'],
] as const)('%j in the notation %j is %s', (text, marks, number) =>
  expect(numberOf(text, { marks, unit: null })).toBe(number),
)

it.each([
  ['12 %', '%', 12],
  ['$7.5', '$', 7.5],
  ['7', '%', 7],
] as const)('%j with the unit %s is %d', (text, unit, number) =>
  expect(numberOf(text, { marks: null, unit })).toBe(number),
)
