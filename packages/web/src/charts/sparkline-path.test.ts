import { describe, expect, it } from 'vitest'
import { sparklinePath } from './sparkline-path'

describe('a sparkline', () => {
  it('starts and ends at the sides, the largest value on top', () => {
    expect(sparklinePath([1, 0])).toBe('M2,3L94,21')
  })

  it('has a gap where a value is missing', () => {
    expect(sparklinePath([1, null, 0]).split('M')).toHaveLength(3)
  })

  it('draws equal values and a single one, and nothing of nothing', () => {
    expect(sparklinePath([2, 2])).toBe('M2,21L94,21')
    expect(sparklinePath([2])).toBe('M2,21Z')
    expect(sparklinePath([null])).toBe('')
  })
})
