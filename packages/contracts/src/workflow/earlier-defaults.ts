import { z } from 'zod'
import { factsOf } from '../nodes/definition.js'
import { NODES } from '../nodes/index.js'

/** A setting of an older file, written into its node because the current default differs. */
export const EarlierDefault = z
  .looseObject({
    node: z.string().min(1).max(200).meta({ description: 'Id of the node' }),
    field: z.string().min(1).max(200).meta({ description: 'Field of its config' }),
    value: z.unknown().meta({ description: 'Behavior of the version that saved the file' }),
  })
  .meta({ id: 'EarlierDefault' })
export type EarlierDefault = z.infer<typeof EarlierDefault>

/** One setting that an upgrade changes. */
export const DefaultChange = z
  .object({
    node: z.string(),
    field: z.string(),
    key: z.string().meta({ description: 'Key of the training configuration, or the field' }),
    title: z.string(),
    old: z.unknown().meta({ description: 'Default of the version that saved the file' }),
    new: z.unknown().meta({ description: 'Current default; null: chosen from the data' }),
  })
  .meta({ id: 'DefaultChange' })
export type DefaultChange = z.infer<typeof DefaultChange>

type Config = Readonly<Record<string, unknown>>
type Document = { readonly [key: string]: unknown }
interface Node {
  readonly id: string
  readonly type: string
  readonly config: Config
}

/** A field whose default differs from the node's behavior before the field existed (`before_it_existed` in its declaration). */
export interface LaterField {
  readonly type: keyof typeof NODES
  readonly field: string
  /** Reports whether the two differ for this node of this document. Absent: always. */
  readonly matters?: (node: Node, nodes: readonly Node[]) => boolean
}

/** Writes the earlier behavior of these fields into each node and records it. Fields that the file sets are not changed. */
export function withEarlierDefaults(document: Document, fields: readonly LaterField[]): Document {
  const all = nodesOf(document)
  const noted: EarlierDefault[] = []
  const nodes = itemsOf(document).map((node) => {
    if (!isNode(node)) return node
    const config = node.config ?? {}
    const absent = fields.filter(
      ({ type, field, matters }) =>
        node.type === type && !(field in config) && (matters?.({ ...node, config }, all) ?? true),
    )
    if (absent.length === 0) return node
    const earlier = absent.map(({ field }) => ({
      node: node.id,
      field,
      value: beforeItExisted(node.type, field),
    }))
    noted.push(...earlier)
    const values = Object.fromEntries(earlier.map(({ field, value }) => [field, value]))
    return { ...node, config: { ...config, ...values } }
  })
  return noted.length === 0 ? document : { ...document, nodes, earlier_defaults: noted }
}

/** Differences from the current defaults that are caused only by the age of the file. A setting that was changed since then is not listed. */
export function earlierDefaults(document: Document): DefaultChange[] {
  const noted = EarlierDefault.array().safeParse(document.earlier_defaults)
  if (!noted.success) return []
  const nodes = new Map(nodesOf(document).map((node) => [node.id, node]))
  return noted.data.flatMap(({ node: id, field, value }) => {
    const node = nodes.get(id)
    const schema = node && schemaOf(node.type, field)
    if (!node || !schema || !(field in node.config) || !same(node.config[field], value)) return []
    const { title = field, training_key = field } = factsOf(schema)
    return [{ node: id, field, key: training_key, title, old: value, new: defaultOf(schema) ?? null }]
  })
}

/** The same document with the current defaults. */
export function upgradedWorkflow<D extends Document>(document: D): D {
  const changed = new Map<string, Set<string>>()
  for (const { node, field } of earlierDefaults(document))
    changed.set(node, (changed.get(node) ?? new Set()).add(field))
  const { earlier_defaults: _, ...rest } = document
  const nodes = itemsOf(document).map((node) => {
    const fields = isNode(node) ? changed.get(node.id) : undefined
    if (!isNode(node) || !fields) return node
    const remaining = Object.entries(node.config).filter(([name]) => !fields.has(name))
    return { ...node, config: Object.fromEntries(remaining) }
  })
  return { ...rest, nodes } as unknown as D
}

/** Behavior of a node before it had a field: `before_it_existed` of its declaration, otherwise the default. */
export function beforeItExisted(type: string, field: string): unknown {
  const schema = schemaOf(type, field)
  const { before_it_existed } = factsOf(schema)
  return before_it_existed === undefined ? defaultOf(schema) : before_it_existed
}

function schemaOf(type: string, field: string): z.ZodType | undefined {
  if (!Object.hasOwn(NODES, type)) return undefined
  const { shape } = NODES[type as keyof typeof NODES].config as { shape: Record<string, z.ZodType> }
  return Object.hasOwn(shape, field) ? shape[field] : undefined
}

function defaultOf(schema: z.ZodType | undefined): unknown {
  return schema?.safeParse(undefined).data
}

function nodesOf(document: Document): Node[] {
  return itemsOf(document).flatMap((node) => (isNode(node) ? [{ ...node, config: node.config ?? {} }] : []))
}

/** The document may not have been validated yet. */
function itemsOf({ nodes }: Document): readonly unknown[] {
  return Array.isArray(nodes) ? nodes : []
}

function isNode(node: unknown): node is Node {
  const { id, type, config = {} } = (node ?? {}) as Partial<Node>
  return typeof id === 'string' && typeof type === 'string' && typeof config === 'object' && config !== null
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
