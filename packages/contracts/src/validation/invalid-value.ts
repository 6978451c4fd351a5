import type { z } from 'zod'
import type { ErrorIssue } from '../codes/index.js'
import {
  inEnglish,
  listed,
  messageOf,
  type Phrase,
  type PhraseCode,
  type PhraseValue,
  phrase,
} from '../phrases/index.js'

/** Types of JSON, and the phrase of each. */
const KINDS: Readonly<Record<string, PhraseCode>> = {
  string: 'type_string',
  number: 'type_number',
  int: 'type_int',
  boolean: 'type_boolean',
  array: 'type_array',
  tuple: 'type_array',
  object: 'type_object',
  record: 'type_object',
}

/** The values of a searched key, as a schema describes them. */
export const CHOICES_EXPECTED = phrase('choices_expected', {
  range: '{low, high, log, step, int}',
  example: '{"low": 0.0001, "high": 0.01, "log": true}',
})

/** Texts that schemas give to their checks (`error`), by text. */
const OWN_TEXTS: ReadonlyMap<string, Phrase> = new Map(
  [
    CHOICES_EXPECTED,
    ...(
      [
        'control_characters',
        'empty_tag',
        'long_tag',
        'comma_in_tag',
        'plain_text_expected',
        'checkpoint_name_expected',
        'device_expected',
        'seeds_expected',
        'name_expected',
        'no_targets',
        'version_of_workflow',
      ] as const
    ).map((code) => ({ code })),
  ].map((text) => [inEnglish([text]), text]),
)

/** A plain message for an issue of Zod, with its phrases; the text of Zod for an issue without a phrase. */
export function withPhrases(issue: z.core.$ZodIssue): Pick<ErrorIssue, 'message' | 'message_phrases'> {
  const own = OWN_TEXTS.get(issue.message)
  const found = own ?? phraseOf(issue)
  return found ? messageOf(found) : { message: issue.message }
}

function phraseOf(issue: z.core.$ZodIssue): Phrase | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' && typeof issue.input === 'number'
        ? phrase('not_whole')
        : phrase('wrong_type', { expected: kind(issue.expected), received: kind(typeOf(issue.input)) })
    case 'too_small':
      return outOfRange(issue, issue.minimum, issue.inclusive ? 'bound_at_least' : 'bound_above')
    case 'too_big':
      return outOfRange(issue, issue.maximum, issue.inclusive ? 'bound_at_most' : 'bound_below')
    case 'not_multiple_of':
      return phrase('not_multiple', { divisor: String(issue.divisor) })
    case 'invalid_union':
      return 'options' in issue
        ? phrase('one_of', { values: listed((issue.options ?? []).map(String)) })
        : phrase('no_form_fits')
    default:
      return undefined
  }
}

type OutOfRange = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig
type Bound = 'bound_at_least' | 'bound_at_most' | 'bound_above' | 'bound_below'

function outOfRange({ origin, exact }: OutOfRange, limit: number | bigint, bound: Bound): Phrase {
  const code = exact ? 'bound_exactly' : bound
  const count = Number(limit)
  if (origin !== 'string' && origin !== 'array')
    return phrase('number_out_of_range', { bound: [phrase(code, { limit: String(limit) })] })
  const length = phrase(origin === 'string' ? 'length_in_characters' : 'length_in_items', { count })
  return phrase('length_out_of_range', { bound: [phrase(code, { limit: [length] })] })
}

function kind(name: string): PhraseValue {
  const code = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  return code === undefined ? name : [{ code }]
}

function typeOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'array'
  return Number.isNaN(input) ? 'NaN' : typeof input
}
