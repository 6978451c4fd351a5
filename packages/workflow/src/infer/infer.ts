import {
  findInput,
  type NodeDefinition,
  type TrainingSetting,
  trainingSettings,
  type ValueType,
  type WorkflowIssue,
} from '@medloom/contracts'
import { type CooperativeSteps, runToCompletion } from '../cooperative-steps.js'
import type { Link } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import { checkLineage } from './check-lineage.js'
import { applied, checkPreparation } from './check-preparation.js'
import { checkTraining } from './check-training.js'
import { DESCRIBERS } from './describers.js'

/** What is known of a value before it exists. A member that is absent is not known. */
export interface Description {
  readonly type: ValueType
  readonly kind?: string
  /** The facets of a sample table: whether its cases have images, table columns to learn from, and labels. */
  readonly images?: boolean
  readonly table?: boolean
  readonly labels?: boolean
  readonly columns?: readonly string[]
  /** null: the label is a number. */
  readonly classes?: readonly string[] | null
  readonly cases?: number
  /** Of an array; null: a side that is not known. */
  readonly shape?: readonly (number | null)[]
  /** Training keys that nodes above have set. */
  readonly settings?: Readonly<Record<string, Setting>>
}

export interface Setting extends TrainingSetting {
  /** The node that set it. */
  readonly node: string
}

/** Input port → what arrives there; parts that a port joins are joined. */
export type Arriving = Readonly<Record<string, Description>>

/** Members that replace what was carried; undefined: not known any more. */
export type Facts = {
  readonly [K in Exclude<keyof Description, 'type' | 'kind'>]?: Description[K] | undefined
}

export interface Described {
  /** Output port → what is known of it beyond its type. */
  readonly outputs?: Readonly<Record<string, Facts>>
  readonly issues?: readonly Omit<WorkflowIssue, 'node' | 'path'>[]
}

/** What an executor knows of its outputs before it runs. */
export type Describer = (
  config: Readonly<Record<string, unknown>>,
  inputs: Arriving,
  node: { readonly id: string; readonly type: string },
) => Described | undefined

export interface Inferred {
  /** By node id: output port → description. */
  readonly outputs: ReadonlyMap<string, Readonly<Record<string, Description>>>
  readonly inputs: ReadonlyMap<string, Arriving>
  readonly issues: readonly WorkflowIssue[]
}

/**
 * Hand types, facets, columns, classes, shapes and training settings down the graph. `describers` are what executors know beyond the
 * catalog (the columns of a registered data set, say). Nodes that cannot be ordered or are not valid are left out.
 */
export function infer(validated: Validated, describers: Readonly<Record<string, Describer>> = {}): Inferred {
  return runToCompletion(inferenceSteps(validated, describers))
}

export function* inferenceSteps(
  validated: Validated,
  describers: Readonly<Record<string, Describer>> = {},
): CooperativeSteps<Inferred> {
  const { graph, order, definitions, configs } = validated
  const known = { ...DESCRIBERS, ...describers }
  const outputs = new Map<string, Readonly<Record<string, Description>>>()
  const inputs = new Map<string, Arriving>()
  const issues: WorkflowIssue[] = []

  for (const number of order) {
    yield
    const node = graph.nodes[number]
    const definition = definitions[number]
    const config = configs[number]
    if (!node || !definition || !config) continue
    const arriving = arrivingAt(definition, graph.incoming[number] ?? [], outputs)
    inputs.set(node.id, arriving)
    const own = Object.fromEntries(
      Object.entries(trainingSettings(definition, config)).map(([key, setting]) => [
        key,
        { ...setting, node: node.id },
      ]),
    )
    const described = Object.hasOwn(known, node.type) ? known[node.type]?.(config, arriving, node) : undefined
    const settings = { ...applied(node.type, arriving), ...own }
    outputs.set(node.id, describeOutputs(definition, arriving, settings, described))
    for (const issue of described?.issues ?? [])
      issues.push({
        ...issue,
        node: node.id,
        path: `nodes.${node.id}${issue.field ? `.config.${issue.field}` : ''}`,
      })
    issues.push(...checkTraining(node, definition, arriving, own), ...checkPreparation(node, arriving))
  }
  issues.push(...(yield* checkLineage(validated)))
  return { outputs, inputs, issues }
}

function arrivingAt(
  definition: NodeDefinition,
  links: readonly Link[],
  outputs: ReadonlyMap<string, Readonly<Record<string, Description>>>,
): Arriving {
  const arriving: Record<string, Description> = {}
  for (const { connection } of links) {
    const port = findInput(definition.inputs, connection.target_port)
    const value = outputs.get(connection.source)?.[connection.source_port]
    if (!port || !value) continue
    const name = connection.target_port
    const before = arriving[name]
    arriving[name] = before ? join(before, value) : value
  }
  return arriving
}

/** Images and a table that meet in one port: each gives its own facet; together they have what either has. */
function join(a: Description, b: Description): Description {
  const [images, table] = a.type === 'image' ? [a, b] : [b, a]
  const either = (x: boolean | undefined, y: boolean | undefined) =>
    x || y ? true : x === undefined || y === undefined ? undefined : false
  const labels = either(a.labels, b.labels)
  return {
    ...images,
    ...table,
    ...(labels === undefined ? {} : { labels }),
    type: 'dataset',
    images: true,
    table: true,
    settings: { ...images.settings, ...table.settings },
  }
}

function describeOutputs(
  definition: NodeDefinition,
  arriving: Arriving,
  settings: Readonly<Record<string, Setting>>,
  described: Described | undefined,
): Record<string, Description> {
  const hasSettings = Object.keys(settings).length > 0
  return Object.fromEntries(
    definition.outputs.map((port) => {
      const facts: Facts = {
        ...(port.carries ? arriving[port.carries] : {}),
        ...(hasSettings ? { settings } : {}),
        ...described?.outputs?.[port.name],
      }
      const known = Object.entries(facts).filter(([name, fact]) => fact !== undefined && name !== 'kind')
      return [
        port.name,
        { ...Object.fromEntries(known), type: port.type, ...(port.kind ? { kind: port.kind } : {}) },
      ]
    }),
  )
}
