import { expect, it } from 'vitest'
import { SMALL_CELL, withoutSmallCells } from './small-cells.js'

const group = (name: string, cases: number, events: number | null, column = 'site') => ({
  ...{ column, group: name, cases, patients: cases, events },
  ...{ metrics: { auc: 0.8 }, intervals: { auc: {} }, reason: null },
  withheld: undefined as 'size' | 'events' | null | undefined,
})

it('a count of 1 to 4 is withheld, with what is measured in the group', () => {
  const [a, b, c] = withoutSmallCells([group('a', 50, 20), group('b', 40, 3), group('c', 30, 12)])
  expect(a).toMatchObject({ cases: 50, events: 20, metrics: { auc: 0.8 }, withheld: null })
  expect(b).toMatchObject({ cases: 40, events: null, metrics: {}, withheld: 'events' })
  // Without it, total - a - c would be the events of b.
  expect(c).toMatchObject({ cases: 30, patients: 30, events: null, metrics: {}, withheld: 'events' })
})

it('a group of few cases or patients has no count at all, and neither has the one that would reveal it', () => {
  const few = [group('a', 50, 20), group('b', 2, 1), { ...group('c', 60, 30), patients: 55 }]
  expect(withoutSmallCells(few).map(({ withheld }) => withheld)).toEqual(['size', 'size', null])
  expect(withoutSmallCells(few)[1]).toMatchObject({ cases: null, patients: null, events: null })
  const rows = [group('a', 50, 20), { ...group('b', 30, 15), patients: 1 }]
  expect(withoutSmallCells(rows).map(({ withheld }) => withheld)).toEqual(['size', 'size'])
})

it('the patients of withheld groups are not computed from those of the others', () => {
  const few = [
    { ...group('a', 50, 20), patients: 30 },
    { ...group('b', 40, 20), patients: 2 },
    { ...group('c', 30, 15), patients: 1 },
    { ...group('d', 60, 30), patients: 40 },
  ]
  // The cases of b and c are many, but with the patients of the column, those of a and d would reveal that both have 3.
  expect(withoutSmallCells(few).map(({ withheld }) => withheld)).toEqual(['size', 'size', 'size', null])
})

it('cases without the event are counts as well', () => {
  const found = withoutSmallCells([group('a', 50, 20), group('b', 40, 38), group('c', 60, 30)])
  expect(found.map(({ withheld }) => withheld)).toEqual(['events', 'events', null])
})

it('no withheld count can be computed from the total and the others', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  for (let trial = 0; trial < 2000; trial++) {
    const groups = Array.from({ length: 3 + random(4) }, (_, index) => {
      const cases = random(3) === 0 ? 1 + random(8) : 10 + random(60)
      return { ...group(String(index), cases, random(cases + 1)), patients: 1 + random(cases) }
    })
    const found = withoutSmallCells(groups)
    for (const count of ['cases', 'patients', 'events'] as const) {
      const hidden = groups.filter((_, index) => found[index]?.[count] === null)
      for (const one of found)
        expect(one[count] !== null && one[count] > 0 && one[count] < SMALL_CELL).toBe(false)
      if (hidden.length === 0 || hidden.length === groups.length) continue
      expect(hidden.length).toBeGreaterThan(1)
      expect(hidden.reduce((sum, one) => sum + (one[count] ?? 0), 0)).toBeGreaterThanOrEqual(SMALL_CELL)
    }
  }
})

it('columns are judged each by itself, and a group of no event is a count like others', () => {
  const found = withoutSmallCells([
    ...[group('a', 50, 20), group('b', 40, 0)],
    ...[group('f', 3, 1, 'sex'), group('m', 87, 19, 'sex')],
  ])
  expect(found.map(({ withheld }) => withheld)).toEqual([null, null, 'size', 'size'])
})

it('classes without an event withhold sizes alone', () => {
  const found = withoutSmallCells([group('a', 50, null), group('b', 3, null), group('c', 70, null)])
  expect(found.map(({ cases }) => cases)).toEqual([null, null, 70])
})
