import { describe, expect, it } from 'vitest'
import { formattersOf } from './formatters'

const english = formattersOf('en-US')

describe('formatters', () => {
  it('shows metrics with three places, tiny ones with three digits, and none as a dash', () => {
    expect(english.metric(0.89449)).toBe('0.894')
    expect(english.metric(0.00001234)).toBe('1.23E−5')
    expect(english.metric(0)).toBe('0.000')
    expect(english.metric(null)).toBe('—')
  })

  it('shows a p value never as zero, and an interval only with both bounds', () => {
    expect(english.p(0)).toBe('< 0.001')
    expect(english.p(0.0421)).toBe('0.042')
    expect(english.range(0.71, 0.9)).toBe('0.710 to 0.900')
    expect(english.range(-1.0512, -0.171)).toBe('−1.051 to −0.171')
    expect(formattersOf('zh-CN').range(-1.0512, 0.171)).toBe('−1.051 至 0.171')
    expect(english.range(null, 0.9)).toBe('—')
  })

  it('shows a length of time in its two largest units', () => {
    expect(english.duration(4.24)).toBe('4.2s')
    expect(english.duration(75)).toBe('1m 15s')
    expect(english.duration(3600)).toBe('1h')
    expect(english.duration(90_061)).toBe('1d 1h')
    expect(formattersOf('zh-CN').duration(75)).toBe('1分钟 15秒')
  })

  it('shows bytes in the largest fitting unit', () => {
    expect(english.bytes(999)).toBe('999 byte')
    expect(english.bytes(1_540_000)).toBe('1.5 MB')
  })
})
