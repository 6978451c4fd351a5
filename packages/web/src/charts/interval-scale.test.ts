import { describe, expect, it } from 'vitest'
import { intervalScale } from './interval-scale'

const interval = (estimate: number | null, low: number | null = null, high: number | null = null) => ({
  estimate,
  low,
  high,
})

describe('the axis of intervals', () => {
  it('holds every bound within its margins, at round marks', () => {
    const scale = intervalScale([interval(0.8, 0.71, 0.88), interval(0.9, 0.85, 0.93)])
    expect([scale?.position(0.71), scale?.position(0.93)]).toEqual([4, 96])
    expect(scale?.ticks).toEqual([0.75, 0.8, 0.85, 0.9])
  })

  it('holds zero where differences are drawn', () => {
    const scale = intervalScale([interval(0.1, 0.05, 0.2)], [0])
    expect(scale?.position(0)).toBe(4)
    expect(scale?.ticks).toContain(0)
  })

  it('puts a single value into the middle, and is none of nothing', () => {
    expect(intervalScale([interval(0.5)])?.position(0.5)).toBe(50)
    expect(intervalScale([interval(0)])?.position(0)).toBe(50)
    expect(intervalScale([interval(null)])).toBeNull()
  })
})
