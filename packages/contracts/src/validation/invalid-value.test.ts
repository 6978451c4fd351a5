import { expect, test } from 'vitest'
import { z } from 'zod'
import { inEnglish, PHRASES } from '../phrases/index.js'
import { check } from './check.js'

const KINDS = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first') }),
  z.object({ kind: z.literal('second') }),
])

test.each([
  ['another type', z.int(), 'three', 'must be a number, not text'],
  ['a fraction', z.int(), 1.5, 'must be a whole number'],
  ['a list instead of an object', z.object({}), [], 'must be an object with keys, not a list'],
  ['a number that is too small', z.number().min(1), 0, 'must be at least 1'],
  ['a number that is not above a bound', z.number().gt(0), 0, 'must be above 0'],
  ['a number that is too big', z.int().max(8), 9, 'must be at most 8'],
  ['a text that is too short', z.string().min(2), 'a', 'must have at least 2 characters'],
  ['a list that is too long', z.array(z.int()).max(1), [1, 2], 'must have at most 1 item'],
  ['a list of another length', z.array(z.int()).length(2), [1], 'must have exactly 2 items'],
  ['not a multiple', z.int().multipleOf(32), 33, 'must be a multiple of 32'],
  [
    'none of several types',
    z.union([z.int(), z.literal('all')]),
    'some',
    'matches none of the permitted forms',
  ],
  ['none of several objects', KINDS, { kind: 'third' }, 'expected one of first, second'],
  ['not one of several values', z.enum(['a', 'b']), 'c', 'expected one of a, b'],
  [
    'a text with its own message',
    z.string().regex(/^x$/, { error: PHRASES.control_characters }),
    'y',
    PHRASES.control_characters,
  ],
])('the message about %s is plain, and has phrases that write the same', (_, schema, input, text) => {
  const checked = check(schema, input)
  const [issue] = checked.ok ? [] : checked.issues
  expect(inEnglish(issue?.message_phrases ?? [])).toBe(issue?.message)
  expect(issue?.message).toBe(text)
})
