import { atPlace, phrase } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { AppError, issueAt, refusal } from './errors.js'
import { errorBody } from './http/errors.js'

const missing = phrase('survival_key_missing', { key: 'event_column' })

test('the response of an error has the phrases of its message and of its details', () => {
  const error = new AppError('INVALID_CONFIG', missing, phrase('remove_it'))
  expect(errorBody(error, 'r1')).toEqual({
    error: 'survival requires time_column and event_column; event_column is missing',
    error_phrases: [missing],
    code: 'INVALID_CONFIG',
    details: 'Remove it.',
    details_phrases: [phrase('remove_it')],
    request_id: 'r1',
  })
})

test('an error without phrases has none in its response', () => {
  const body = errorBody(new AppError('JOB_RUNNING', { english: 'the job runs' }), 'r1')
  expect(Object.keys(body)).toEqual(['error', 'code', 'details', 'request_id'])
})

test('an issue does not repeat its path, in any language', () => {
  const issue = issueAt(
    'data.event_column',
    new AppError('INVALID_CONFIG', atPlace('data.event_column', missing)),
  )
  expect(issue.message).toBe('survival requires time_column and event_column; event_column is missing')
  expect(issue.message_phrases).toEqual([missing])
})

test('several issues are one message, with phrases if all have some', () => {
  const issue = { path: 'a', code: 'INVALID_VALUE' as const, message: 'required' }
  const given = { ...issue, message_phrases: [phrase('required')] }
  const both = refusal([given, { ...given, path: 'b' }])
  expect(both.message).toBe('a: required; b: required')
  expect(both.text.phrases).toHaveLength(4)
  expect(refusal([given, issue]).text.phrases).toBeUndefined()
})
