import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

describe('2.6 Health', () => {
  it(
    'status is a string and timestamp the present time in ISO 8601 UTC',
    shows('2.6/status', '2.6/timestamp', '4/health', '1/liveness'),
    async () => {
      const { status, body } = await new Caller(shared.url).get('/api/system/health')
      expect(status).toBe(200)
      expect(body.status).toEqual(expect.any(String))
      expect(String(body.timestamp)).toMatch(/Z$/)
      expect(Math.abs(Date.now() - Date.parse(String(body.timestamp)))).toBeLessThan(60_000)
    },
  )
})
