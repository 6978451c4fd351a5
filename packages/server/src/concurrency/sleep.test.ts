import { expect, it } from 'vitest'
import { sleep } from './sleep.js'

it('ends early when the signal aborts, without an error', async () => {
  const HOUR = 3_600_000
  await expect(sleep(HOUR, { signal: AbortSignal.abort() })).resolves.toBeUndefined()
  const control = new AbortController()
  const resting = sleep(HOUR, { signal: control.signal })
  control.abort()
  await expect(resting).resolves.toBeUndefined()
})
