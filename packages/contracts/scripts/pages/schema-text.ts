/** The parts of a JSON Schema that the reference pages show. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly exclusiveMinimum?: number
  readonly training_key?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** Name of a schema's type, with its range. */
export function typeName(schema: Schema): string {
  if (schema.$ref) return `\`${schema.$ref.split('/').at(-1)}\``
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' | ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeName).join(', ')}]`
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`
  if (schema.properties)
    return `{${Object.entries(schema.properties)
      .map(([name, inner]) => `${name}: ${typeName(inner)}`)
      .join(', ')}}`
  return `${schema.type ?? 'any'}${range(schema)}`
}

function range({ type, minimum, exclusiveMinimum, maximum }: Schema): string {
  if (type !== 'integer' && type !== 'number') return ''
  const low =
    exclusiveMinimum !== undefined ? ` > ${exclusiveMinimum}` : minimum !== undefined ? ` ≥ ${minimum}` : ''
  // Without a declared maximum, zod writes the largest safe integer.
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `, ≤ ${maximum}` : ''
  return low + high
}

/** Schema to which the root of a document, or a reference inside it, points. */
export function resolved(document: Schema, schema: Schema = document): Schema {
  return document.$defs?.[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
}

/** Text of a Markdown table cell. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
