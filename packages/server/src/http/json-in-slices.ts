import { yieldIfDue } from '../concurrency/event-loop.js'

/** Shorter arrays are serialized at once. */
const FEW = 32

/**
 * The output of JSON.stringify for a response that has long arrays among its fields, or among the fields of those: the arrays are
 * serialized item by item, so that the service answers other requests in between.
 * @returns null for a response without a long array, which is serialized normally.
 */
export async function jsonInSlices(response: unknown): Promise<string | null> {
  if (!isRecord(response) || !hasLongArray(response, 2)) return null
  return (await textOf(response, 2)) ?? null
}

async function textOf(value: unknown, depth: number): Promise<string | undefined> {
  if (Array.isArray(value) && value.length >= FEW) {
    const items: string[] = []
    for (const item of value) {
      items.push(JSON.stringify(item) ?? 'null')
      const due = yieldIfDue()
      if (due) await due
    }
    return `[${items.join(',')}]`
  }
  if (depth === 0 || !isRecord(value) || !hasLongArray(value, depth)) return JSON.stringify(value)
  const fields: string[] = []
  for (const [key, field] of Object.entries(value)) {
    const text = await textOf(field, depth - 1)
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${fields.join(',')}}`
}

function hasLongArray(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.length >= FEW
  return depth > 0 && isRecord(value) && Object.values(value).some((field) => hasLongArray(field, depth - 1))
}

/** Returns true for objects that are serialized field by field. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)
}
