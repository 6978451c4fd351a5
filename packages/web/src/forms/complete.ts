import { alternativesOf, type Schema } from './schema'

/**
 * Reports whether all required values are set: of the whole, and of each part that is present. Values may still be invalid.
 * If a part has several alternatives, the service reports what is missing.
 */
export function isComplete(root: Schema, value: unknown, node: Schema = root): boolean {
  const kinds = alternativesOf(root, node)
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
