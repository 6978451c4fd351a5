import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'
import { NODE_GROUPS, NODE_PLACES, type NodeDefinition, RESOURCES } from './definition.js'
import { IMPLICIT_INPUTS, type ImplicitInput } from './implicit-inputs.js'
import { COMPOSITES, CONVERSIONS, type CompositeType, PORT_TYPES } from './ports.js'
import { SOFTWARE } from './software.js'

/** The catalog as JSON, for clients, the trainer and the reference: configurations are JSON Schema. */

/** All types of values. */
export const valueType = z.enum([...PORT_TYPES, ...(Object.keys(COMPOSITES) as [CompositeType])])
const port = { name: z.string(), type: valueType, title: z.string(), kind: z.string().nullable() }

export const NodeRecord = z
  .object({
    type: z.string(),
    group: z.enum(NODE_GROUPS),
    title: z.string(),
    summary: z.string(),
    runs: z.enum(NODE_PLACES),
    resource: z.enum(RESOURCES),
    version: z.int(),
    source: z
      .object({ file: z.string(), sha256: z.string() })
      .nullable()
      .meta({ description: 'File of a custom node, which is part of the cache key; null: built in' }),
    software: z.array(z.string()).meta({
      description: 'Packages whose versions are part of the cache key, because they change the result',
    }),
    implicit_inputs: z.array(z.enum(Object.keys(IMPLICIT_INPUTS) as [ImplicitInput])).meta({
      description: 'Information that the node shows in addition to its inputs; part of the cache key',
    }),
    inputs: z.array(
      z.object({
        ...port,
        optional: z.boolean(),
        multiple: z.boolean(),
        implicit: z.boolean(),
        passes_kinds: z.array(z.string()).meta({
          description:
            'Kinds that the input also accepts; an output that carries this input then has the same kind',
        }),
      }),
    ),
    outputs: z.array(z.object({ ...port, carries: z.string().nullable() })),
    config: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the config' }),
  })
  .meta({ id: 'NodeRecord' })
export type NodeRecord = z.infer<typeof NodeRecord>

export const CustomNodeProblem = z
  .object({
    file: z.string(),
    line: z.int().nullable(),
    path: z.string().meta({ description: 'Location in the NODE declaration; empty: the whole file' }),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    remedy: z.string(),
    remedy_phrases: phrasesOf('remedy'),
  })
  .meta({ id: 'CustomNodeProblem' })
export type CustomNodeProblem = z.infer<typeof CustomNodeProblem>

export const NodeCatalog = z
  .object({
    nodes: z.array(NodeRecord),
    custom: z
      .object({ folder: z.string(), problems: z.array(CustomNodeProblem) })
      .nullable()
      .meta({
        description:
          'Custom nodes that cannot be used, with the reasons; null: the service has no custom nodes',
      }),
    port_types: z.array(z.enum(PORT_TYPES)),
    composites: z.record(z.string(), z.array(z.enum(PORT_TYPES))),
    conversions: z.array(
      z.object({
        from: valueType,
        to: valueType,
        lossless: z.boolean().meta({ description: 'Always true: conversions keep the complete value' }),
        how: z.string(),
      }),
    ),
  })
  .meta({ id: 'NodeCatalog' })
export type NodeCatalog = z.infer<typeof NodeCatalog>

/** JSON form of a catalog. */
export function describeCatalog(
  catalog: Readonly<Record<string, NodeDefinition>>,
  custom: NodeCatalog['custom'] = null,
): NodeCatalog {
  return {
    nodes: Object.entries(catalog).map(
      ([
        type,
        { config, inputs, outputs, source, software, implicit_inputs, lineage: _, infer: __, ...facts },
      ]) => ({
        type,
        ...facts,
        source: source ? { ...source } : null,
        software: software ? [...SOFTWARE[software]] : [],
        implicit_inputs: [...(implicit_inputs ?? [])],
        inputs: inputs.map(
          ({ kind = null, optional, multiple, implicit, passes_kinds, routes: _, advice: __, ...facts }) => ({
            ...facts,
            kind,
            optional: optional === true || implicit === true,
            multiple: multiple === true,
            implicit: implicit === true,
            passes_kinds: [...(passes_kinds ?? [])],
          }),
        ),
        outputs: outputs.map(({ kind = null, carries = null, ...facts }) => ({ ...facts, kind, carries })),
        config: z.toJSONSchema(config, { io: 'input', target: 'draft-2020-12' }) as Record<string, unknown>,
      }),
    ),
    custom,
    port_types: [...PORT_TYPES],
    composites: Object.fromEntries(Object.entries(COMPOSITES).map(([name, parts]) => [name, [...parts]])),
    conversions: CONVERSIONS.map((conversion) => ({ ...conversion, lossless: true })),
  }
}
