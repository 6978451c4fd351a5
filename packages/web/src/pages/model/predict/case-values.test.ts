import { describe, expect, it } from 'vitest'
import { caseOf, type InputColumn, isChosen, noticeOf, placeFiles, uploadName } from './case-values'

const AGE: InputColumn = {
  ...{ unit: null, marks: null },
  ...{ name: 'age', kind: 'numeric', range: { low: 18, high: 93 }, categories: null, more_categories: false },
  missing: { read_as: 'mean', value: 54.2, seen: true },
}
const SEX: InputColumn = {
  ...{ unit: null, marks: null },
  ...{ name: 'sex', kind: 'categorical', range: null, categories: ['f', 'm'], more_categories: false },
  missing: { read_as: 'gap', value: null, seen: false },
}

describe('the notice about a value', () => {
  it.each([
    ['18', null],
    ['93', null],
    ['17.9', 'below'],
    [' 94 ', 'above'],
    ['-1e3', 'below'],
    ['54,5', null],
    ['1.234,5', 'above'],
    ['1,234', 'ambiguous'],
    ['54,5.3', 'notNumber'],
    ['old', 'notNumber'],
    ['', null],
    ['  ', null],
  ])('%j is %s', (entered, notice) => expect(noticeOf(AGE, entered)).toBe(notice))

  it('is about no range that is unknown', () => {
    expect(noticeOf({ ...AGE, range: null }, '1000')).toBeNull()
    expect(noticeOf({ ...AGE, range: null }, 'old')).toBe('notNumber')
  })

  it('names a category that is not listed', () => {
    expect(['f', ' m ', 'x', ''].map((entered) => noticeOf(SEX, entered))).toEqual([
      null,
      null,
      'otherCategory',
      null,
    ])
  })
})

it('a category is chosen from a complete and short list only', () => {
  const many = Array.from({ length: 31 }, (_, index) => `${index}`)
  expect([
    isChosen(SEX),
    isChosen({ ...SEX, more_categories: true }),
    isChosen({ ...SEX, categories: [] }),
    isChosen({ ...SEX, categories: many.slice(1) }),
    isChosen({ ...SEX, categories: many }),
    isChosen(AGE),
  ]).toEqual([true, false, false, true, false, false])
})

it('the case names every column: entered values without spaces, uploads by their id, null for all others', () => {
  const inputs = {
    model_id: 'm',
    columns: [AGE, SEX, { ...SEX, name: 'site' }],
    images: { columns: ['front', 'side'], required: true },
  }
  const values = { age: ' 54.5 ', sex: '  ', other: 'x' }
  expect(caseOf(inputs, values, { front: 'id-1', gone: 'id-2' })).toEqual({
    ...{ age: '54.5', sex: null, site: null },
    ...{ front: 'upload:id-1', side: null },
  })
})

it('several files fill the column on which they are dropped, then the empty ones', () => {
  const columns = ['a', 'b', 'c', 'd']
  expect(placeFiles(columns, ['a'], 'c', [1, 2, 3, 4])).toEqual([
    ['c', 1],
    ['b', 2],
    ['d', 3],
  ])
  expect(placeFiles(columns, columns, 'a', [1, 2])).toEqual([['a', 1]])
})

it.each([
  ['Mustermann Anna 1956.PNG', 'image.png'],
  ['brain.nii.gz', 'image.nii.gz'],
  ['a.b.dcm', 'image.dcm'],
  ['IM000001', 'image'],
  ['Dr. Mustermann', 'image'],
])('the upload of %j has the name %s', (name, stored) => expect(uploadName(name)).toBe(stored))
