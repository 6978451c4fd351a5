import { expect, it } from 'vitest'
import { calibrate } from './calibrate.mjs'
import { factorFrom, factorOf, limitsFor } from './patience.mjs'

it('limits grow with a slow machine and never shrink', () => {
  expect([0.5, 1, 2.345, 100].map((ratio) => factorOf(ratio))).toEqual([1, 1, 2.35, 8])
})

it('limits are longer under load', () => {
  expect([1, 3, 100].map((ratio) => factorOf(ratio, { load: true }))).toEqual([4, 6, 16])
})

it('reads the factor from the environment', () => {
  expect([undefined, '', '2.5'].map(factorFrom)).toEqual([1, 1, 2.5])
  expect(() => factorFrom('fast')).toThrow('MEDLOOM_TEST_PATIENCE')
  expect(() => factorFrom('0.1')).toThrow('at least 1')
})

it('multiplies every limit; a poll ends before its test', () => {
  const limits = limitsFor(2)
  expect(limits.poll).toBe(2 * limitsFor(1).poll)
  expect(limits.poll).toBeLessThan(limits.test)
  expect(limits.page).toBeLessThan(limits.pageTest)
})

it('measures the speed of the machine', async () => {
  expect(await calibrate(1)).toBeGreaterThan(0)
})
