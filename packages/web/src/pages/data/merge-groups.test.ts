import { describe, expect, it } from 'vitest'
import { classCounts } from './class-counts'
import { mergeGroups } from './merge-groups'

const group = (split: string | null, name: string, cases: number, counts: number[]) => ({
  split,
  class: name,
  cases,
  missing: 1,
  counts,
  rest: 0,
})
const groups = [
  group('test', 'a', 3, [1, 1]),
  group('train', 'a', 7, [2, 4]),
  group('train', 'b', 20, [9, 10]),
]

describe('a distribution', () => {
  it('is joined by class, by split, or over all cases, and loses no case', () => {
    expect(mergeGroups({ groups }, 'class').map(({ name, cases, counts }) => [name, cases, counts])).toEqual([
      ['b', 20, [9, 10]],
      ['a', 10, [3, 5]],
    ])
    expect(mergeGroups({ groups }, 'split').map(({ name, missing }) => [name, missing])).toEqual([
      ['train', 2],
      ['test', 1],
    ])
    expect(mergeGroups({ groups }, 'none')).toMatchObject([
      { name: null, cases: 30, counts: [12, 15], missing: 3 },
    ])
  })

  it('says how many cases a class has in each split, also where there are none', () => {
    expect(classCounts(groups)).toEqual({
      splits: ['train', 'test'],
      classes: [
        { name: 'a', cases: [7, 3], total: 10 },
        { name: 'b', cases: [20, 0], total: 20 },
      ],
    })
  })
})
