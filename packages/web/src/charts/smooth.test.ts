import { describe, expect, it } from 'vitest'
import { smooth } from './smooth'

describe('smoothing', () => {
  it('gives the values themselves at weight 0', () => {
    expect(smooth([3, null, 1], 0)).toEqual([3, null, 1])
  })

  it('keeps a constant line, from its first point on', () => {
    for (const value of smooth([2, 2, 2, 2], 0.9)) expect(value).toBeCloseTo(2, 12)
  })

  it('weighs what was before, and leaves gaps as gaps', () => {
    const [first, gap, second] = smooth([0, null, 1], 0.5)
    expect(first).toBe(0)
    expect(gap).toBeNull()
    // (0.5 · 0.5 · 0 + 0.5 · 1) / (0.5 · 0.5 + 0.5)
    expect(second).toBeCloseTo(2 / 3, 12)
  })
})
