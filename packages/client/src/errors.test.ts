import { expect, it } from 'vitest'
import { MedloomError } from './errors.js'

it.each([
  [0, 'UNREACHABLE', true],
  [0, 'TIMEOUT', true],
  [500, 'INTERNAL', true],
  [503, 'DATABASE_UNAVAILABLE', true],
  [429, 'TOO_MANY_REQUESTS', true],
  [0, 'ABORTED', false],
  [200, 'INVALID_RESPONSE', false],
  [400, 'INVALID_CONFIG', false],
  [401, 'UNAUTHORIZED', false],
  [404, 'JOB_NOT_FOUND', false],
])('an error with status %i and code %s is transient: %s', (http, code, isTransient) => {
  expect(new MedloomError('', { http, code, details: '' }).isTransient).toBe(isTransient)
})
