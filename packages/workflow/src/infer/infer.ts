import {
  type ArrivingDescriptions,
  declaredSettings,
  findInput,
  hintOf,
  type Inference,
  messageOf,
  type NodeDefinition,
  type OutputFacts,
  type OutsideKnowledge,
  type PlacedSetting,
  phrase,
  type ValueDescription,
  type WorkflowIssue,
} from '@medloom/contracts'
import { type CooperativeSteps, runToCompletion } from '../cooperative-steps.js'
import type { Link } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import { checkLineage } from './check-lineage.js'
import { checkPreparation, handedOn } from './check-preparation.js'

export interface Inferred {
  /** Output port → description, by node id. */
  readonly outputs: ReadonlyMap<string, Readonly<Record<string, ValueDescription>>>
  readonly inputs: ReadonlyMap<string, ArrivingDescriptions>
  readonly issues: readonly WorkflowIssue[]
}

/**
 * Passes types, facets, columns, classes, shapes and settings down the graph; the definition of each node declares its effect. Nodes that
 * cannot be ordered or are invalid are omitted.
 */
export function infer(validated: Validated, outside: OutsideKnowledge = {}): Inferred {
  return runToCompletion(inferenceSteps(validated, outside))
}

export function* inferenceSteps(
  validated: Validated,
  outside: OutsideKnowledge = {},
): CooperativeSteps<Inferred> {
  const { graph, order, definitions, configs } = validated
  const outputs = new Map<string, Readonly<Record<string, ValueDescription>>>()
  const inputs = new Map<string, ArrivingDescriptions>()
  const issues: WorkflowIssue[] = []

  for (const number of order) {
    yield
    const node = graph.nodes[number]
    const definition = definitions[number]
    const config = configs[number]
    if (!node || !definition || !config) continue
    const arriving = arrivingAt(definition, graph.incoming[number] ?? [], outputs)
    inputs.set(node.id, arriving)
    const settings = placedSettings(node.id, definition, config)
    const inference = definition.infer({ node: node.id, config, inputs: arriving, settings, outside })
    const known = { ...handedOn(definition, arriving), ...settings }
    outputs.set(node.id, describeOutputs(definition, arriving, known, inference))
    issues.push(
      ...issuesOf(node.id, inference),
      ...emptyInputs(node.id, definition, arriving),
      ...checkPreparation(node, definition, arriving),
    )
  }
  issues.push(...(yield* checkLineage(validated)))
  return { outputs, inputs, issues }
}

function placedSettings(
  node: string,
  definition: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
): Record<string, PlacedSetting> {
  return Object.fromEntries(
    Object.entries(declaredSettings(definition, config)).map(([key, setting]) => [key, { ...setting, node }]),
  )
}

function issuesOf(id: string, { issues = [] }: Inference): WorkflowIssue[] {
  return issues.map((issue) => {
    const { node = id, field } = issue
    return { path: `nodes.${node}${field ? `.config.${field}` : ''}`, ...issue, node }
  })
}

/** Inputs whose values are known to contain no cases: no node can compute a result from them. */
function emptyInputs(
  node: string,
  { inputs }: NodeDefinition,
  arriving: ArrivingDescriptions,
): WorkflowIssue[] {
  return Object.entries(arriving).flatMap(([port, { cases }]) => {
    if (cases !== 0 || findInput(inputs, port)?.type === 'any') return []
    return [
      {
        severity: 'error',
        path: `nodes.${node}.inputs.${port}`,
        code: 'DATASET_INVALID',
        ...messageOf(phrase('input_has_no_cases', { port })),
        ...hintOf(phrase('share_above_zero')),
        node,
        port,
      },
    ]
  })
}

function arrivingAt(
  definition: NodeDefinition,
  links: readonly Link[],
  outputs: ReadonlyMap<string, Readonly<Record<string, ValueDescription>>>,
): ArrivingDescriptions {
  const arriving: Record<string, ValueDescription> = {}
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

/** Images and a table that arrive at one port: each contributes its facet; the result has the facets of both. */
function join(a: ValueDescription, b: ValueDescription): ValueDescription {
  const [images, table] = a.type === 'image' ? [a, b] : [b, a]
  const either = (x: boolean | undefined, y: boolean | undefined) =>
    x || y ? true : x === undefined || y === undefined ? undefined : false
  const { labels: _, ...others } = { ...images, ...table }
  const labels = either(a.labels, b.labels)
  return {
    ...others,
    ...(labels === undefined ? {} : { labels }),
    type: 'dataset',
    images: true,
    table: true,
    settings: { ...images.settings, ...table.settings },
  }
}

function describeOutputs(
  definition: NodeDefinition,
  arriving: ArrivingDescriptions,
  settings: Readonly<Record<string, PlacedSetting>>,
  inference: Inference,
): Record<string, ValueDescription> {
  const hasSettings = Object.keys(settings).length > 0
  return Object.fromEntries(
    definition.outputs.map((port) => {
      const facts: OutputFacts = {
        ...(port.carries ? arriving[port.carries] : {}),
        ...(hasSettings ? { settings } : {}),
        ...inference.outputs?.[port.name],
      }
      const known = Object.entries(facts).filter(([name, fact]) => fact !== undefined && name !== 'kind')
      return [
        port.name,
        { ...Object.fromEntries(known), type: port.type, ...(port.kind ? { kind: port.kind } : {}) },
      ]
    }),
  )
}
