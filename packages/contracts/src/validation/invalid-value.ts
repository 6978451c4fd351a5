import type { z } from 'zod'
import type { ErrorIssue } from '../codes/index.js'
import {
  inEnglish,
  listed,
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
  object: 'type_object',
  record: 'type_record',
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

/** The message of an issue of Zod, with its phrases if they are the same text. */
export function withPhrases(issue: z.core.$ZodIssue): Pick<ErrorIssue, 'message' | 'message_phrases'> {
  const { message } = issue
  const found = OWN_TEXTS.get(message) ?? phraseOf(issue)
  return found && inEnglish([found]) === message ? { message, message_phrases: [found] } : { message }
}

function phraseOf(issue: z.core.$ZodIssue): Phrase | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return phrase('wrong_type', { expected: kind(issue.expected), received: kind(typeOf(issue.input)) })
    case 'too_small':
      return sized(issue, `${issue.exact ? 'exactly ' : issue.inclusive ? '>=' : '>'}${issue.minimum}`)
    case 'too_big':
      return sized(issue, `${issue.exact ? 'exactly ' : issue.inclusive ? '<=' : '<'}${issue.maximum}`)
    case 'not_multiple_of':
      return phrase('not_multiple', { divisor: String(issue.divisor) })
    case 'invalid_union':
      return 'options' in issue
        ? phrase('wrong_discriminator', { values: listed(optionsOf(issue), 'space') })
        : phrase('no_variant_fits')
    default:
      return undefined
  }
}

type Sized = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig

function sized({ code, origin }: Sized, bound: string): Phrase {
  const unit = origin === 'string' ? 'unit_characters' : origin === 'array' ? 'unit_items' : null
  const isSmall = code === 'too_small'
  if (unit === null)
    return phrase(isSmall ? 'number_too_small' : 'number_too_big', { kind: kind(origin), bound })
  return phrase(isSmall ? 'too_few' : 'too_many', { kind: kind(origin), bound, unit: [phrase(unit)] })
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

function optionsOf(issue: { options?: unknown[] | undefined }): string[] {
  return (issue.options ?? []).flatMap((option, index) => [...(index > 0 ? ['|'] : []), `'${option}'`])
}
