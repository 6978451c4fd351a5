import { expect, it } from 'vitest'
import { Subgroups, withoutSmallSubgroups } from './subgroups.js'

const group = (name: string, cases: number, events: number) => ({
  ...{ column: 'site', group: name, cases, patients: cases, events },
  ...{ metrics: { auc: 0.8 }, intervals: {}, reason: null },
})
const measured = [group('a', 50, 20), group('b', 40, 3), group('c', 30, 12)]

it('whoever reads a result gets its subgroups without small counts', () => {
  const found = Subgroups.parse(measured)
  expect(found.map(({ events, withheld }) => [events, withheld])).toEqual([
    [20, null],
    [null, 'events'],
    [null, 'events'],
  ])
  expect(Subgroups.parse(found)).toEqual(found)
})

it('the JSON of a result loses its small counts and nothing else', () => {
  const result = { split: 'test', later: 1, subgroups: measured }
  expect(withoutSmallSubgroups(result)).toEqual({ ...result, subgroups: Subgroups.parse(measured) })
  const large = { subgroups: [group('a', 50, 20), group('b', 40, 13)] }
  expect(withoutSmallSubgroups(large)).toBe(large)
  const history = { epochs: [] }
  expect(withoutSmallSubgroups(history)).toBe(history)
  expect(withoutSmallSubgroups({ subgroups: [{ cases: 3 }] })).toEqual({ subgroups: [] })
})
