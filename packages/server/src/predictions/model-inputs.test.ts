import { expect, test } from 'vitest'
import { withoutRareCategories } from './model-inputs.js'

const column = (name: string, patients: Record<string, number> | null, value: string | number | null) => ({
  ...({
    name,
    unit: null,
    marks: null,
    range: null,
    missing: { read_as: 'mode', value, seen: true },
  } as const),
  ...(patients === null
    ? { kind: 'numeric' as const, categories: null }
    : {
        kind: 'categorical' as const,
        categories: Object.entries(patients).map(([category, count]) => ({
          name: category,
          patients: count,
        })),
      }),
})
const shownOf = (...columns: ReturnType<typeof column>[]) =>
  withoutRareCategories({ images: { columns: ['image'], required: true }, columns })

test('lists the categories of at least five patients, and reports that there are others', () => {
  const { columns, images } = shownOf(
    column('site', { arm: 5, 'village of one family': 4, face: 40 }, 'face'),
    column('sex', { f: 5, m: 6 }, 'm'),
  )
  expect(images).toEqual({ columns: ['image'], required: true })
  expect(columns.map(({ categories, more_categories }) => [categories, more_categories])).toEqual([
    [['arm', 'face'], true],
    [['f', 'm'], false],
  ])
})

test('contains neither a count nor the name of a rare category, not as the value for a missing one either', () => {
  const { columns } = shownOf(column('site', { rare: 4, rarer: 1 }, 'rare'), column('age', null, 54))
  expect(JSON.stringify(columns)).not.toMatch(/rare[^"_]|patients|"rare"/)
  expect(columns.map(({ missing }) => missing.value)).toEqual([null, 54])
  expect(columns.map(({ categories }) => categories)).toEqual([[], null])
})
