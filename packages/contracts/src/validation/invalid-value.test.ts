import { expect, test } from 'vitest'
import { z } from 'zod'
import { inEnglish, PHRASES } from '../phrases/index.js'
import { check } from './check.js'

const KINDS = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first') }),
  z.object({ kind: z.literal('second') }),
])

test.each([
  ['another type', z.int(), 'three'],
  ['a fraction', z.int(), 1.5],
  ['a list instead of an object', z.object({}), []],
  ['a number that is too small', z.number().min(1), 0],
  ['a number that is not above a bound', z.number().gt(0), 0],
  ['a number that is too big', z.int().max(8), 9],
  ['a text that is too short', z.string().min(2), 'a'],
  ['a list that is too long', z.array(z.int()).max(1), [1, 2]],
  ['a list of another length', z.array(z.int()).length(2), [1]],
  ['not a multiple', z.int().multipleOf(32), 33],
  ['none of several types', z.union([z.int(), z.literal('all')]), 'some'],
  ['none of several objects', KINDS, { kind: 'third' }],
  ['not one of several values', z.enum(['a', 'b']), 'c'],
  ['a text with its own message', z.string().regex(/^x$/, { error: PHRASES.control_characters }), 'y'],
])('the message about %s has phrases that write the same English', (_, schema, input) => {
  const checked = check(schema, input)
  const [issue] = checked.ok ? [] : checked.issues
  expect(inEnglish(issue?.message_phrases ?? [])).toBe(issue?.message)
  expect(issue?.message).not.toBe('')
})
