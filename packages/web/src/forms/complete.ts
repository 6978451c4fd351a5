import { alternativesOf, type Schema } from './schema'

/**
 * Whether everything is there that a schema requires: of the whole, and of each part that is given. What stands there may still be wrong.
 * Where a part may be of several kinds, the service says what it lacks.
 */
export function isComplete(root: Schema, value: unknown, given: Schema = root): boolean {
  const kinds = alternativesOf(root, given)
  const [schema] = kinds
  if (!schema || kinds.length > 1 || typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => isComplete(root, item, itemOf(schema)))
  const { properties = {}, required = [] } = schema
  const inside = value as Readonly<Record<string, unknown>>
  return (
    required.every((key) => inside[key] !== undefined && inside[key] !== null) &&
    Object.entries(properties).every(([key, property]) => isComplete(root, inside[key], property))
  )
}

function itemOf({ items }: Schema): Schema {
  return typeof items === 'object' ? items : {}
}
