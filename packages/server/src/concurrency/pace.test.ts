import { expect, test } from 'vitest'
import { Pace } from './pace.js'

test('turns of one come at once, those of many more rarely, and who has left takes none', () => {
  const pace = new Pace(200)
  const [leave] = Array.from({ length: 1000 }, () => pace.join())
  expect(pace.milliseconds).toBe(5000)
  leave?.()
  leave?.()
  expect(pace.milliseconds).toBe(4995)
})
