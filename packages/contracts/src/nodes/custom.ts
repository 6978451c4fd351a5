import { z } from 'zod'
import { PHRASES, type Phrase, phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { NODE_GROUPS, type NodeDefinition, type NodeSource } from './definition.js'
import type { InferOutputs } from './inference.js'
import type { LineageRelation } from './lineage.js'

/**
 * Declaration of a custom node, the literal NODE in its file. It becomes a definition like those of the catalog, so that no other code needs
 * to distinguish custom nodes.
 */

const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error: PHRASES.name_expected,
})
const title = z.string().min(1).max(80)
const text = z.string().max(1000).default('')

/** Facets of one sample table: all possible inputs of a custom node, and most of its possible outputs. */
const CASES = ['dataset', 'tabular', 'image'] as const

const described = { title, description: text }
export const CustomField = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('integer'),
    ...described,
    default: z.int(),
    minimum: z.int().optional(),
    maximum: z.int().optional(),
  }),
  z.strictObject({
    type: z.literal('number'),
    ...described,
    default: z.number(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('text'), ...described, default: z.string().max(1000) }),
  z.strictObject({ type: z.literal('boolean'), ...described, default: z.boolean() }),
  z.strictObject({
    type: z.literal('choice'),
    ...described,
    default: z.string(),
    choices: z.array(z.string().min(1).max(200)).min(1).max(200),
  }),
])
export type CustomField = z.infer<typeof CustomField>

export const CustomDeclaration = z
  .strictObject({
    title,
    summary: z.string().min(1).max(500).meta({ description: 'Purpose of the node, in one sentence' }),
    group: z.enum(NODE_GROUPS).default('Utility'),
    version: z.int().min(1).default(1),
    inputs: z
      .record(name, z.strictObject({ type: z.enum(CASES), title, optional: z.boolean().default(false) }))
      .default({}),
    outputs: z.record(
      name,
      z.strictObject({
        type: z.enum([...CASES, 'config']),
        title,
        of: name.nullable().default(null).meta({ description: 'Input that the cases come from' }),
        cases: z.enum(['same', 'some']).default('some').meta({
          description: 'same: all cases of that input; some: a subset that is determined when the node runs',
        }),
      }),
    ),
    config: z.record(name, CustomField).default({}),
  })
  .superRefine(({ inputs, outputs, config }, context) => {
    const add = (path: string[], message: Phrase) =>
      context.addIssue({ code: 'custom', path, ...refusal(message) })
    if (Object.keys(outputs).length === 0) add(['outputs'], phrase('node_without_output'))
    for (const [port, { of }] of Object.entries(outputs))
      if (of !== null && !Object.hasOwn(inputs, of))
        add(['outputs', port, 'of'], phrase('not_an_input', { name: of }))
    for (const [field, declared] of Object.entries(config))
      if (!schemaOf(declared).safeParse(declared.default).success)
        add(['config', field, 'default'], phrase('default_not_allowed'))
  })
export type CustomDeclaration = z.infer<typeof CustomDeclaration>

/** keep_rows.py contains KeepRows. */
export function typeOfFile(file: string): string {
  const words = file.replace(/\.py$/, '').split('_')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

/** Definition of a custom node. Its source is part of the cache key of its results. */
export function customDefinition(declaration: CustomDeclaration, source: NodeSource): NodeDefinition {
  const { inputs, outputs, config, ...facts } = declaration
  return {
    ...facts,
    runs: 'worker',
    resource: 'cpu',
    software: 'model',
    source,
    inputs: Object.entries(inputs).map(([port, { optional, ...rest }]) => ({
      name: port,
      ...rest,
      ...(optional ? { optional } : {}),
    })),
    outputs: Object.entries(outputs).map(([port, { type, title, of }]) => ({
      name: port,
      type,
      title,
      ...(of === null ? {} : { carries: of }),
    })),
    config: z.strictObject(
      Object.fromEntries(
        Object.entries(config).map(([field, declared]) => [
          field,
          schemaOf(declared)
            .default(declared.default as never)
            .meta({ title: declared.title, description: declared.description }),
        ]),
      ),
    ),
    lineage: Object.entries(outputs).flatMap(([output, { type, of, cases }]): LineageRelation[] => {
      if (type === 'config') return []
      if (of === null) return [{ relation: 'unidentified', output }]
      return [{ relation: cases === 'same' ? 'same_as' : 'subset_of', output, of }]
    }),
    infer: inferCustom(outputs),
  }
}

/** The columns of a custom node's output are known only at run time; the number of cases is known earlier if the node keeps all of them. */
function inferCustom(outputs: CustomDeclaration['outputs']): InferOutputs {
  const unknown = Object.fromEntries(
    Object.entries(outputs).map(([port, { cases }]) => [
      port,
      { columns: undefined, ...(cases === 'same' ? {} : { cases: undefined }) },
    ]),
  )
  return () => ({ outputs: unknown })
}

function schemaOf(field: CustomField): z.ZodType {
  switch (field.type) {
    case 'integer':
      return bounded(z.number().int(), field)
    case 'number':
      return bounded(z.number(), field)
    case 'text':
      return z.string().max(1000)
    case 'boolean':
      return z.boolean()
    case 'choice':
      return z.enum(field.choices as [string, ...string[]])
  }
}

function bounded(
  schema: z.ZodNumber,
  { minimum, maximum }: { minimum?: number | undefined; maximum?: number | undefined },
): z.ZodNumber {
  const above = minimum === undefined ? schema : schema.min(minimum)
  return maximum === undefined ? above : above.max(maximum)
}
