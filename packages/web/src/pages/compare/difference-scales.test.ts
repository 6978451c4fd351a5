import { expect, it } from 'vitest'
import { differenceScales } from './difference-scales'

it('metrics of different units share no axis, and shares do', () => {
  const { shared, of } = differenceScales({
    auc: { estimate: 0.1, low: 0.05, high: 0.2 },
    accuracy: { estimate: -0.1, low: -0.3, high: 0.1 },
    mae: { estimate: 12, low: 4, high: 20 },
  })
  expect(of('auc')).toEqual({ scale: shared, isOwn: false })
  expect(of('accuracy').scale).toBe(shared)
  expect(shared?.at(-0.3)).toBe(4)
  expect(shared?.at(0.2)).toBe(96)
  expect(of('mae').isOwn).toBe(true)
  expect(of('mae').scale?.at(0)).toBe(4)
  expect(of('mae').scale?.at(20)).toBe(96)
})
