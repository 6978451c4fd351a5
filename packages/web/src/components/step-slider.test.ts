import { expect, it } from 'vitest'
import { nearestStep } from './step-slider'

it('a value between two steps stands at the nearer one, the lower of two that are as near', () => {
  const steps = [0, 0.1, 0.5, 1]
  expect([0.02, 0.29, 0.31, 0.75, 7].map((value) => nearestStep(steps, value))).toEqual([0, 1, 2, 2, 3])
})
