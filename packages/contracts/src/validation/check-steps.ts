import type { z } from 'zod'
import { type Checked, Problems, unwrap } from './check.js'

/**
 * Like `check` for an object with long lists, whose items are checked one by one. It yields after each, so that its caller can do other work
 * in between. A list with more items than permitted is not read.
 */
export function* checkSteps<S extends z.ZodObject>(
  schema: S,
  input: Readonly<Record<string, unknown>>,
  place = '',
): Generator<void, Checked<z.output<S>>, void> {
  const problems = new Problems(schema, place)
  const rest: Record<string, unknown> = { ...input }
  const lists: Record<string, unknown[]> = {}
  for (const [key, list] of Object.entries(schema.shape)) {
    const items = input[key]
    const { element, most } = listOf(list)
    if (!element || !Array.isArray(items)) continue
    rest[key] = []
    if (items.length > most) problems.add([tooLong(key, most, items)])
    else lists[key] = yield* checkItems(element, items, (found, index) => problems.add(found, [key, index]))
  }
  const parsed = schema.safeParse(rest, { reportInput: true })
  if (!parsed.success) problems.add(parsed.error.issues)
  if (!problems.isEmpty || !parsed.success) return { ok: false, issues: problems.listed }
  return { ok: true, value: { ...parsed.data, ...lists } }
}

function* checkItems(
  schema: z.ZodType,
  items: readonly unknown[],
  onIssues: (issues: readonly z.core.$ZodIssue[], index: number) => void,
): Generator<void, unknown[], void> {
  const values: unknown[] = []
  for (const [index, item] of items.entries()) {
    const parsed = schema.safeParse(item, { reportInput: true })
    if (parsed.success) values.push(parsed.data)
    else onIssues(parsed.error.issues, index)
    yield
  }
  return values
}

/** The items of a list, and how many it may have; without an element it is not a list. */
function listOf(schema: unknown): { readonly element: z.ZodType | undefined; readonly most: number } {
  const list = unwrap(schema) as Partial<z.ZodArray<z.ZodType>> | undefined
  const checks = (list?._zod?.def.checks ?? []) as readonly z.core.$ZodCheck[]
  const limits = checks.map(({ _zod: { def } }) => def as Partial<z.core.$ZodCheckMaxLengthDef>)
  const limit = limits.find(({ check }) => check === 'max_length')
  return { element: list?.element, most: limit?.maximum ?? Number.POSITIVE_INFINITY }
}

/** The message comes from the phrase of the issue. */
function tooLong(key: string, maximum: number, input: unknown): z.core.$ZodIssue {
  const issue = { code: 'too_big', origin: 'array', maximum, inclusive: true, path: [key], input }
  return issue as unknown as z.core.$ZodIssue
}
