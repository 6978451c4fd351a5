import type { z } from 'zod'
import type { ErrorIssue } from '../codes/index.js'
import { hintOf, listed, messageOf, phrase } from '../phrases/index.js'
import { withPhrases } from './invalid-value.js'
import type { RefusalParams } from './refusal.js'
import { suggest } from './suggest.js'

/** A parsed value, or all problems at once: dotted path, code, message, and if possible "did you mean". */
export type Checked<T> = { ok: true; value: T } | { ok: false; issues: ErrorIssue[] }

/** Maximum number of listed problems; the others are only counted. */
export const MAX_ISSUES = 100
/** Maximum number of problems with a hint: the search for the nearest word takes time for each. */
const MAX_HINTS = 20

/** Checks `input` against `schema`. `place` is prepended to every path. At most MAX_ISSUES problems are listed. */
export function check<S extends z.ZodType>(schema: S, input: unknown, place = ''): Checked<z.output<S>> {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return { ok: true, value: parsed.data }
  const problems = new Problems(schema, place)
  problems.add(parsed.error.issues)
  return { ok: false, issues: problems.listed }
}

/** Problems of one value: the first MAX_ISSUES of them, and the number of all. */
export class Problems {
  readonly #first: ErrorIssue[] = []
  #count = 0

  constructor(
    private readonly schema: z.ZodType,
    private readonly place: string,
  ) {}

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get listed(): ErrorIssue[] {
    return atMost(this.#first, { count: this.#count, place: this.place })
  }

  /** @param parent path of the part of the value that was parsed */
  add(found: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[] = []): void {
    for (const issue of found) {
      this.#count += issue.code === 'unrecognized_keys' ? issue.keys.length : 1
      const room = MAX_ISSUES - this.#first.length
      if (room <= 0) continue
      const context = { schema: this.schema, place: this.place, room, hints: MAX_HINTS - this.#first.length }
      this.#first.push(...explain({ ...issue, path: [...parent, ...issue.path] }, context))
    }
  }
}

/** The first of many problems, and the number of the others. `count`: total number, if `issues` contains only the first ones. */
export function atMost<I extends ErrorIssue>(
  issues: readonly I[],
  { count = issues.length, place = '', most = MAX_ISSUES } = {},
): (I | ErrorIssue)[] {
  if (count <= most) return [...issues]
  const more = count - most
  const rest = {
    path: place,
    code: 'MORE_ISSUES' as const,
    ...messageOf(phrase('more_problems', { count: more })),
  }
  return [...issues.slice(0, most), rest]
}

interface Explaining {
  readonly schema: z.ZodType
  readonly place: string
  /** Remaining number of problems to list, and of problems with a hint. */
  readonly room: number
  readonly hints: number
}

function explain(issue: z.core.$ZodIssue, context: Explaining): ErrorIssue[] {
  const { schema, place, room, hints } = context
  const path = [...(place ? [place] : []), ...issue.path.map(String)].join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys.slice(0, room).map((key, index) => ({
      path: path ? `${path}.${shortKey(key)}` : shortKey(key),
      code: 'UNKNOWN_FIELD',
      ...messageOf(phrase('unknown_key', { key: key.slice(0, 80) })),
      ...(index < hints ? hintForKey(key, known) : {}),
    }))
  }
  return [explainValue(issue, path, hints > 0)]
}

function hintForKey(key: string, known: readonly string[]) {
  const [section = '', ...inner] = shortKey(key).split('.')
  if (inner.length > 0 && known.includes(section))
    return hintOf(phrase('key_in_section', { section, key: inner.join('.') }))
  return suggest(key, known, phrase('known_keys', { keys: listed(known.slice(0, 30)) }))
}

/** A key as a part of a path, shortened because keys may be as long as the body. */
const shortKey = (key: string) => key.slice(0, 200)

function explainValue(issue: z.core.$ZodIssue, path: string, mayGuess: boolean): ErrorIssue {
  if (issue.code === 'custom') {
    const { code = 'INVALID_VALUE', ...more } = (issue.params ?? {}) as RefusalParams
    const given = Object.entries(more).filter(([, value]) => value !== undefined && value !== '')
    return { path, code, message: issue.message, ...Object.fromEntries(given) }
  }
  const oneOf =
    issue.code === 'invalid_value'
      ? phrase('one_of', { values: listed(issue.values.map(String)) })
      : undefined
  if (issue.code !== 'invalid_union' && issue.input === undefined)
    return { path, code: 'MISSING_FIELD', ...messageOf(phrase('required')), ...(oneOf ? hintOf(oneOf) : {}) }
  return {
    path,
    code: 'INVALID_VALUE',
    ...(oneOf ? messageOf(oneOf) : withPhrases(issue)),
    ...(mayGuess && issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? suggest(issue.input, issue.values.map(String))
      : {}),
  }
}

/** Keys that the object at `path` inside `schema` accepts. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = schema
  for (const step of [...path, undefined]) {
    current = unwrap(current)
    if (step === undefined) break
    const shape = (current as { shape?: Record<string, unknown> }).shape
    current = shape ? shape[String(step)] : (current as { element?: unknown }).element
  }
  return Object.keys((current as { shape?: object } | undefined)?.shape ?? {})
}

/** The schema inside optional values, defaults and the like. */
export function unwrap(schema: unknown): unknown {
  let current = schema
  for (;;) {
    const def = (current as { _zod?: { def?: { innerType?: unknown; in?: unknown } } })?._zod?.def
    const inner = def?.innerType ?? def?.in
    if (!inner) return current
    current = inner
  }
}
