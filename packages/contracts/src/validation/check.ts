import type { z } from 'zod'
import type { ErrorIssue, IssueCode } from '../codes/index.js'
import { nearest } from './nearest.js'

/** A parsed value, or every problem at once: dotted place, code, message, and where possible "did you mean". */
export type Checked<T> = { ok: true; value: T } | { ok: false; issues: ErrorIssue[] }

/** Check `input` against `schema`. `place` is put in front of every path. */
export function check<S extends z.ZodType>(schema: S, input: unknown, place = ''): Checked<z.output<S>> {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, issues: parsed.error.issues.flatMap((issue) => explain(issue, schema, place)) }
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodType, place: string): ErrorIssue[] {
  const path = [...(place ? [place] : []), ...issue.path.map(String)].join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys.map((key) => {
      const guess = nearest(key, known)
      return {
        path: path ? `${path}.${key}` : key,
        code: 'UNKNOWN_FIELD',
        message: `unknown key "${key.slice(0, 80)}"`,
        hint: guess ? `Did you mean "${guess}"?` : `Known keys: ${known.slice(0, 30).join(', ')}.`,
      }
    })
  }
  if (issue.code === 'custom') {
    const params = (issue.params ?? {}) as { code?: IssueCode; hint?: string }
    return [
      {
        path,
        code: params.code ?? 'INVALID_VALUE',
        message: issue.message,
        ...(params.hint ? { hint: params.hint } : {}),
      },
    ]
  }
  const oneOf =
    issue.code === 'invalid_value' ? `expected one of ${issue.values.map(String).join(', ')}` : undefined
  if (issue.code !== 'invalid_union' && issue.input === undefined)
    return [{ path, code: 'MISSING_FIELD', message: 'required', ...(oneOf ? { hint: oneOf } : {}) }]
  const guess =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? nearest(issue.input, issue.values.map(String))
      : undefined
  return [
    {
      path,
      code: 'INVALID_VALUE',
      message: oneOf ?? issue.message,
      ...(guess ? { hint: `Did you mean "${guess}"?` } : {}),
    },
  ]
}

/** The keys that the object at `path` inside `schema` knows. */
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

function unwrap(schema: unknown): unknown {
  let current = schema
  for (;;) {
    const def = (current as { _zod?: { def?: { innerType?: unknown; in?: unknown } } })?._zod?.def
    const inner = def?.innerType ?? def?.in
    if (!inner) return current
    current = inner
  }
}
