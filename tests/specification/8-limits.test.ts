import { LIMITS } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)

describe('8 Limits', () => {
  it('no rate limit is enforced', shows('8/rate'), async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => caller.get('/api/system/health')))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  })

  it('a body over 1 MiB is refused', shows('8/payload'), async () => {
    const { status, body } = await caller.post('/api/training/start', {
      job_name: 'x'.repeat(LIMITS.body_bytes),
    })
    expect([status, body.code]).toEqual([400, 'PAYLOAD_TOO_LARGE'])
  })

  it('a body nested deeper than 32 levels is refused', shows('8/payload'), async () => {
    const depth = LIMITS.body_depth + 1
    const { status, body } = await caller.post(
      '/api/training/start',
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    )
    expect([status, body.code]).toEqual([400, 'PAYLOAD_TOO_DEEP'])
  })

  it.each(['page_size=0', 'page_size=1001', 'page_size=x', 'page_token=nonsense'])(
    'lists refuse %s',
    async (query) => {
      expect((await caller.get(`/api/models?${query}`)).status).toBe(400)
    },
  )
})
