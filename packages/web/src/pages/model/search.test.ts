import { expect, it } from 'vitest'
import { isFiltered, modelSearch } from './search'

it('an address keeps what makes sense of it; classes may be called 0, 1 or true', () => {
  expect(
    modelSearch({ truth: 1, predicted: true, group: 'sex=f', threshold: 0.25, by: 'loss' }),
  ).toMatchObject({
    ...{ truth: '1', predicted: 'true', group: 'sex=f', threshold: 0.25, by: 'loss' },
  })
  const odd = { threshold: 2, from: 0.8, to: 0.2, group: 'sex', by: 'size', correct: 'maybe', truth: '' }
  expect(Object.values(modelSearch(odd)).every((value) => value === undefined)).toBe(true)
})

it('a threshold filters no case', () => {
  expect(isFiltered(modelSearch({ threshold: 0.5, evaluation: 'one', class: 'a' }))).toBe(false)
  expect(isFiltered(modelSearch({ correct: false }))).toBe(true)
})
