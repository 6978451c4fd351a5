import { expect, it } from 'vitest'
import { rest } from './rest.js'

it('ends early when the signal aborts, without an error', async () => {
  const HOUR = 3_600_000
  await expect(rest(HOUR, { signal: AbortSignal.abort() })).resolves.toBeUndefined()
  const control = new AbortController()
  const resting = rest(HOUR, { signal: control.signal })
  control.abort()
  await expect(resting).resolves.toBeUndefined()
})
