import { expect, it } from 'vitest'
import { align } from './align'

it('lays lines with steps of their own over one axis; what is missing stays a gap', () => {
  const aligned = align([
    { steps: [1, 3, 5], values: [0.1, null, 0.5] },
    { steps: [2, 3], values: [1, 2] },
  ])
  expect(aligned).toEqual({
    steps: [1, 2, 3, 5],
    values: [
      [0.1, undefined, null, 0.5],
      [undefined, 1, 2, undefined],
    ],
  })
})
