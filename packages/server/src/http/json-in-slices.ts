import { yieldIfDue } from '../concurrency/event-loop.js'

/** Shorter arrays and objects are serialized at once. */
const FEW = 32

/**
 * The output of JSON.stringify for a response that is a long object, or has long arrays or objects among its fields, or among the fields of
 * those: they are serialized entry by entry, so that the service answers other requests in between.
 * @returns null for a response without them, which is serialized normally.
 */
export async function jsonInSlices(response: unknown): Promise<string | null> {
  if (!isRecord(response) || !hasManyEntries(response, 2)) return null
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
  if (!isRecord(value) || !hasManyEntries(value, depth)) return JSON.stringify(value)
  const fields: string[] = []
  for (const [key, field] of Object.entries(value)) {
    const text = depth > 0 ? await textOf(field, depth - 1) : JSON.stringify(field)
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`)
    const due = yieldIfDue()
    if (due) await due
  }
  return `{${fields.join(',')}}`
}

function hasManyEntries(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.length >= FEW
  if (!isRecord(value)) return false
  const fields = Object.values(value)
  return fields.length >= FEW || (depth > 0 && fields.some((field) => hasManyEntries(field, depth - 1)))
}

/** Returns true for objects that are serialized field by field. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)
}
