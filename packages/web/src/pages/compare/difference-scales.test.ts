import { expect, it } from 'vitest'
import { differenceScales } from './difference-scales'

it('metrics of different units share no axis, and shares do', () => {
  const { shared, scaleOf } = differenceScales({
    auc: { estimate: 0.1, low: 0.05, high: 0.2 },
    accuracy: { estimate: -0.1, low: -0.3, high: 0.1 },
    mae: { estimate: 12, low: 4, high: 20 },
  })
  expect(scaleOf('auc')).toEqual({ scale: shared, isOwn: false })
  expect(scaleOf('accuracy').scale).toBe(shared)
  expect(shared?.position(-0.3)).toBe(4)
  expect(shared?.position(0.2)).toBe(96)
  expect(scaleOf('mae').isOwn).toBe(true)
  expect(scaleOf('mae').scale?.position(0)).toBe(4)
  expect(scaleOf('mae').scale?.position(20)).toBe(96)
})
