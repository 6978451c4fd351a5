import { describe, expect, it } from 'vitest'
import {
  countOf,
  DASH,
  formatCount,
  formatDuration,
  formatNumber,
  formatShare,
  formatUnit,
} from './numbers.js'

describe('a number in a report', () => {
  it.each([
    [0, '0.000'],
    [0.0002, '<0.001'],
    [0.0005, '0.001'],
    [0.9134, '0.913'],
    [0.9994, '0.999'],
    [0.9998, '>0.999'],
    [1, '1.000'],
    [null, DASH],
    [Number.NaN, DASH],
  ])('between 0 and 1 is never rounded onto a bound: %s is %s', (value, text) => {
    expect(formatUnit(value)).toBe(text)
  })

  it.each([
    [0, '0'],
    [12, '12'],
    [0.5, '0.500'],
    [-0.00123, '−0.00123'],
    [123.456, '123.5'],
    [0.00001, '1.00e−5'],
    [1_234_567, '1.23e+6'],
    [undefined, DASH],
  ])('of any size: %s is %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  it('that is a count is divided into thousands, and shown next to its share of a total if there is one', () => {
    expect([formatCount(1_234_567), formatCount(null)]).toEqual(['1 234 567', DASH])
    expect([formatShare(12, 35), formatShare(0, 0)]).toEqual(['12 (34.3%)', '0'])
  })

  it.each([
    [4.26, '4.3 s'],
    [59.4, '59 s'],
    [185, '3 min 5 s'],
    [7440, '2 h 4 min'],
    [null, DASH],
  ])('of seconds: %s is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })
})

it('counts one patient and several patients', () => {
  expect([0, 1, 2, 1200].map((count) => countOf(count, 'patient'))).toEqual([
    '0 patients',
    '1 patient',
    '2 patients',
    '1 200 patients',
  ])
})
