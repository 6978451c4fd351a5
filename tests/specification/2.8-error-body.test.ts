import { ERRORS } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)

describe('2.8 Error body', () => {
  it.each([
    ['an unknown job', () => caller.get('/api/training/00000000-0000-4000-8000-000000000000/status')],
    ['an unknown route', () => caller.get('/api/nothing')],
    ['a bad method', () => caller.post('/api/system/health')],
    ['broken JSON', () => caller.post('/api/training/start', '{"config": ')],
    ['a wrong body', () => caller.post('/api/training/start', [])],
    ['no body', () => caller.post('/api/training/start')],
  ])(
    'for %s it has error, code and details, all strings',
    shows('2.8/error', '2.8/code', '2.8/details', '7/body', '7/codes'),
    async (_, send) => {
      const { body } = await send()
      expect(body).toMatchObject({
        error: expect.any(String),
        code: expect.any(String),
        details: expect.any(String),
      })
      expect(Object.keys(ERRORS)).toContain(body.code)
    },
  )
})
