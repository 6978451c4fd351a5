import { expect, test } from 'vitest'
import { Pace } from './pace.js'

test('a single member has turns at once, many members have them less often, and former members have none', () => {
  const pace = new Pace(200)
  const [leave] = Array.from({ length: 1000 }, () => pace.join())
  expect(pace.milliseconds).toBe(5000)
  leave?.()
  leave?.()
  expect(pace.milliseconds).toBe(4995)
})

test('first turns of members that join together are spread over the interval', () => {
  const pace = new Pace(200)
  const firsts = Array.from({ length: 1000 }, () => {
    pace.join()
    return pace.first(5000)
  })
  const perHalfSecond = Array.from(
    { length: 10 },
    (_, at) => firsts.filter((first) => Math.floor(first / 500) === at).length,
  )
  expect(Math.min(...perHalfSecond)).toBeGreaterThan(95)
  expect(Math.max(...perHalfSecond)).toBeLessThan(105)
})
