/** What a form reads of a JSON Schema (2020-12), as the contracts emit it. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema | boolean
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly examples?: readonly unknown[]
  /** What a path leads to; such a field offers the files of the roots. */
  readonly names_path?: string
  /** Of a field of a node: what its content is read from. */
  readonly reads?: 'path' | 'table' | 'dataset'
  /** Values to offer where the schema accepts more than it can list. */
  readonly options?: readonly string[]
}

/**
 * The kinds of field that a form is made of: `rows` are objects of the same keys, a `record` has keys of its own. `value` takes anything
 * else as YAML: what a schema allows is never out of reach because no widget was made for it.
 */
export const KINDS = [
  'text',
  'path',
  'number',
  'integer',
  'switch',
  'choice',
  'choices',
  'texts',
  'group',
  'rows',
  'record',
  'value',
] as const
export type Kind = (typeof KINDS)[number]

export interface Field {
  /** Keys from the root. */
  readonly path: readonly string[]
  readonly kind: Kind
  /** Its name for people, where the contract gives one beside the help; null: the key. */
  readonly label: string | null
  /** What the field means, in a sentence of the contract. */
  readonly help: string | null
  /** Whether nothing is complete without it: what only a part needs that may be absent is said once that part is there. */
  readonly required: boolean
  /** Whether it may be null, which reads as absent. */
  readonly nullable: boolean
  /** undefined: none. */
  readonly default: unknown
  readonly choices: readonly string[]
  readonly minimum: number | null
  readonly maximum: number | null
  /** What is named outside of the form: a table, a folder, another file or a checkpoint by its path, or a data set. */
  readonly namesPath: string | null
  readonly options: readonly string[]
  readonly examples: readonly unknown[]
  /** Of a group, or of each row. */
  readonly fields: readonly Field[]
}

/** What a field of a node reads, as the paths of a configuration are named. */
const NAMED: Readonly<Record<string, string>> = { path: 'file', table: 'table', dataset: 'dataset' }

/** The fields of an object, groups with theirs. */
export function fieldsOf(
  root: Schema,
  node: Schema = root,
  path: readonly string[] = [],
  isNeeded = true,
): readonly Field[] {
  const { properties = {}, required = [] } = resolve(root, node)
  return Object.entries(properties).map(([key, property]) =>
    fieldOf(root, property, [...path, key], isNeeded && required.includes(key)),
  )
}

/** Fields without fields, in their order; a group stands for its members. */
export function leavesOf(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leavesOf(field.fields) : [field]))
}

/** A name for people and the help of a field in another language; what is undefined stays. */
export interface FieldWords {
  readonly title: string | undefined
  readonly help: string | undefined
}

/** The same fields in other words. */
export function withWords(fields: readonly Field[], wordsOf: (field: Field) => FieldWords): readonly Field[] {
  return fields.map((field) => {
    const { title, help } = wordsOf(field)
    return {
      ...field,
      label: title ?? field.label,
      help: help ?? field.help,
      fields: withWords(field.fields, wordsOf),
    }
  })
}

export function pathOf({ path }: Pick<Field, 'path'>): string {
  return path.join('.')
}

function fieldOf(root: Schema, given: Schema, path: readonly string[], required: boolean): Field {
  const outer = resolve(root, given)
  const real = alternativesOf(root, outer)
  const schema = real.length === 1 ? { ...outer, ...real[0] } : outer
  const kind = real.length === 1 ? kindOf(root, schema) : 'value'
  return {
    path,
    kind,
    label: outer.description === undefined ? null : (outer.title ?? null),
    help: outer.description ?? outer.title ?? schema.title ?? null,
    required,
    nullable: real.length < kindsOf(outer).length,
    default: outer.default,
    choices: choicesOf(root, kind, schema),
    minimum: schema.minimum ?? schema.exclusiveMinimum ?? null,
    maximum: schema.maximum ?? null,
    namesPath: outer.names_path ?? schema.names_path ?? NAMED[outer.reads ?? ''] ?? null,
    options: outer.options ?? [],
    examples: outer.examples ?? schema.examples ?? [],
    fields: membersOf(root, kind, schema, path, required),
  }
}

function membersOf(
  root: Schema,
  kind: Kind,
  schema: Schema,
  path: readonly string[],
  required: boolean,
): readonly Field[] {
  if (kind === 'group') return fieldsOf(root, schema, path, required)
  return kind === 'rows' ? fieldsOf(root, schema.items as Schema, path) : []
}

function kindOf(root: Schema, schema: Schema): Kind {
  if (schema.enum?.every((value) => typeof value === 'string')) return 'choice'
  if (schema.type === 'string') return schema.names_path === undefined ? 'text' : 'path'
  if (schema.type === 'integer') return 'integer'
  if (schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'switch'
  if (schema.type === 'array') return kindOfList(root, schema)
  if (schema.type === 'object') return schema.properties ? 'group' : 'record'
  return 'value'
}

function kindOfList(root: Schema, { items }: Schema): Kind {
  if (typeof items !== 'object') return 'value'
  const item = resolve(root, items)
  if (item.enum?.every((value) => typeof value === 'string')) return 'choices'
  if (item.type === 'object' && item.properties) return 'rows'
  return item.type === 'string' ? 'texts' : 'value'
}

function choicesOf(root: Schema, kind: Kind, { items, ...schema }: Schema): readonly string[] {
  if (kind === 'choice') return (schema.enum ?? []) as readonly string[]
  if (kind === 'choices') return (resolve(root, items as Schema).enum ?? []) as readonly string[]
  return []
}

/** What a value may be beside null. */
export function alternativesOf(root: Schema, given: Schema): readonly Schema[] {
  return kindsOf(resolve(root, given))
    .map((schema) => resolve(root, schema))
    .filter(({ type }) => type !== 'null')
}

function kindsOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema]
}

/** What a reference leads to; what stands beside it counts more. */
function resolve(root: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...beside } = schema
  const target = root.$defs?.[$ref.replace('#/$defs/', '')]
  if (!target) throw new Error(`the schema has no ${$ref}`)
  return { ...resolve(root, target), ...beside }
}
