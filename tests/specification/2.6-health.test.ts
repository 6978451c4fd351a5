import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'

describe('2.6 Health', () => {
  it('status is a string and timestamp the present time in ISO 8601 UTC', async () => {
    const { status, body } = await new Caller(shared.url).get('/api/system/health')
    expect(status).toBe(200)
    expect(body.status).toEqual(expect.any(String))
    expect(String(body.timestamp)).toMatch(/Z$/)
    expect(Math.abs(Date.now() - Date.parse(String(body.timestamp)))).toBeLessThan(60_000)
  })
})
