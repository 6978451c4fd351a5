/** The part of a JSON Schema (2020-12) that a form reads, as the contracts emit it. */
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
  /** Type of the path; such a field offers the files of the roots. */
  readonly names_path?: string
  /** A value with many optional parts, which is written as YAML rather than in a field for each. */
  readonly written_as?: 'document'
  /** Source type of a node's field. */
  readonly reads?: 'path' | 'table' | 'dataset' | 'model'
  /** Values to offer where the schema accepts more than it can list. */
  readonly options?: readonly string[]
}

/**
 * Kinds of form fields: `rows` are objects with the same keys, a `record` has arbitrary keys. `value` accepts anything else as YAML, so that
 * everything that a schema allows can be entered even without a specific widget.
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
  /** Display name, if the contract defines one in addition to the help text; null: the key is shown. */
  readonly label: string | null
  /** Description of the field, one sentence of the contract. */
  readonly help: string | null
  /** Required in any case. A field that only an optional part requires is reported once that part is present. */
  readonly required: boolean
  /** The field accepts null, which is read as absent. */
  readonly nullable: boolean
  /** undefined: no default. */
  readonly default: unknown
  readonly choices: readonly string[]
  readonly minimum: number | null
  readonly maximum: number | null
  /** Type of external reference: a table, a folder, another file or a checkpoint by path, a dataset, or a registered model. */
  readonly namesPath: string | null
  readonly options: readonly string[]
  readonly examples: readonly unknown[]
  /** Fields of a group, or of each row. */
  readonly fields: readonly Field[]
}

/** Source type of a node's field → name of the path type in configurations. */
const NAMED: Readonly<Record<string, string>> = {
  path: 'file',
  table: 'table',
  dataset: 'dataset',
  model: 'model',
}

/** Fields of an object, with nested fields for groups. */
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

/** Fields without subfields, in order; a group is replaced by its members. */
export function leavesOf(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leavesOf(field.fields) : [field]))
}

/** Translated name and help text of a field; undefined keeps the original. */
export interface FieldText {
  readonly title: string | undefined
  readonly help: string | undefined
}

/** The same fields with translated texts. */
export function translateFields(
  fields: readonly Field[],
  textOf: (field: Field) => FieldText,
): readonly Field[] {
  return fields.map((field) => {
    const { title, help } = textOf(field)
    return {
      ...field,
      label: title ?? field.label,
      help: help ?? field.help,
      fields: translateFields(field.fields, textOf),
    }
  })
}

export function pathOf({ path }: Pick<Field, 'path'>): string {
  return path.join('.')
}

function fieldOf(root: Schema, property: Schema, path: readonly string[], required: boolean): Field {
  const outer = resolve(root, property)
  const real = alternativesOf(root, outer)
  const schema = real.length === 1 ? { ...outer, ...real[0] } : outer
  const kind = real.length === 1 && outer.written_as === undefined ? kindOf(root, schema) : 'value'
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

/** Alternatives of a value, without null. */
export function alternativesOf(root: Schema, schema: Schema): readonly Schema[] {
  return kindsOf(resolve(root, schema))
    .map((alternative) => resolve(root, alternative))
    .filter(({ type }) => type !== 'null')
}

function kindsOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema]
}

/** Resolves a reference; keys next to the reference take precedence. */
function resolve(root: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...siblings } = schema
  const target = root.$defs?.[$ref.replace('#/$defs/', '')]
  if (!target) throw new Error(`the schema has no ${$ref}`)
  return { ...resolve(root, target), ...siblings }
}
