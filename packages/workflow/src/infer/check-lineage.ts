import {
  after,
  findInput,
  hintOf,
  type LineageRelation,
  listed,
  messageOf,
  type NodeDefinition,
  type Phrase,
  phrase,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Link } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import {
  type Cases,
  type Fitted,
  type LeakField,
  overlap,
  partOf,
  sameParts,
  unionOf,
  wholeSet,
} from './cases.js'

/**
 * Finds leaks before a run, by following cases through the graph along the declared lineage: models evaluated on their training cases, and
 * statistics fitted before a split. The contents decide at run time; this check uses only the graph.
 */
export function* checkLineage({
  graph,
  order,
  definitions,
  configs,
}: Validated): CooperativeSteps<WorkflowIssue[]> {
  const known = new Map<string, Cases>()
  const issues: WorkflowIssue[] = []
  for (const number of order) {
    yield
    const node = graph.nodes[number]
    const definition = definitions[number]
    const config = configs[number]
    if (!node || !definition || !config || definition.lineage.length === 0) continue
    const arriving = arrivingAt(definition, graph.incoming[number] ?? [], known)
    issues.push(...leaksAt(node, definition, config, arriving))
    const fitted = fittedBy(node, definition)
    for (const relation of definition.lineage) {
      const cases = casesOf(relation, node, config, arriving, fitted)
      if (cases && 'output' in relation) known.set(place(node.id, relation.output), cases)
    }
  }
  return issues
}

type ArrivingCases = ReadonlyMap<string, Cases>

/** Cases by declared port; the numbered ports of a repeated port count as one, because relations name them together. */
function arrivingAt(
  { inputs }: NodeDefinition,
  links: readonly Link[],
  known: ReadonlyMap<string, Cases>,
): ArrivingCases {
  const arriving = new Map<string, Cases>()
  for (const { connection } of links) {
    const port = findInput(inputs, connection.target_port)?.name
    const cases = known.get(place(connection.source, connection.source_port))
    if (port === undefined || !cases) continue
    const union = unionOf([arriving.get(port), cases].filter((one) => one !== undefined))
    if (union) arriving.set(port, union)
  }
  return arriving
}

function casesOf(
  relation: LineageRelation,
  node: WorkflowNode,
  config: Readonly<Record<string, unknown>>,
  arriving: ArrivingCases,
  fitted: Fitted | undefined,
): Cases | undefined {
  const marked = (cases: Cases | undefined) => (cases && fitted ? { ...cases, fitted } : cases)
  const all = (ports: readonly string[]) =>
    unionOf(ports.map((port) => arriving.get(port)).filter((one) => one !== undefined))
  switch (relation.relation) {
    case 'source': {
      const { part } = relation
      const whole = wholeSet(String(config[relation.named_by]))
      return part && config[part.field] !== part.whole
        ? partOf(whole, `${part.field} ${config[part.field]}`)
        : whole
    }
    case 'same_as':
      return marked(arriving.get(relation.of))
    case 'part_of': {
      const cases = marked(arriving.get(relation.of))
      return cases && partOf(cases, `${node.id}.${relation.output}`)
    }
    case 'subset_of': {
      const cases = marked(arriving.get(relation.of))
      return cases && { ...cases, certain: false }
    }
    case 'union_of':
      return marked(all(relation.of))
    case 'fits': {
      const cases = all(relation.on)
      const field = relation.leak_allowed_by
      return cases && field
        ? { ...cases, leak: { node: node.id, field, allowed: config[field] === true } }
        : cases
    }
    case 'unidentified':
    case 'applied_to':
    case 'continues':
    case 'evaluates':
    case 'predicts':
      return undefined
  }
}

/** Output that the node itself fits on cases that it passes on. */
function fittedBy(node: WorkflowNode, { lineage }: NodeDefinition): Fitted | undefined {
  const fits = lineage.find((relation) => relation.relation === 'fits')
  return fits && { node: node.id, output: fits.output }
}

function leaksAt(
  node: WorkflowNode,
  { lineage }: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
  arriving: ArrivingCases,
): WorkflowIssue[] {
  const divided = new Set(lineage.flatMap((one) => (one.relation === 'part_of' ? [one.of] : [])))
  return [
    ...lineage.flatMap((one) =>
      one.relation === 'evaluates' ? testedOnSeen(node, one.model, one.on, arriving) : [],
    ),
    ...lineage.flatMap((one) =>
      one.relation === 'predicts' ? predictedSeen(node, one.model, one.on, arriving) : [],
    ),
    ...lineage.flatMap((one) =>
      one.relation === 'continues' && config[one.when.field] === one.when.is
        ? continuedOnOthers(node, one, arriving)
        : [],
    ),
    ...[...divided].flatMap((port) => fittedAbove(node, arriving.get(port)?.fitted)),
  ]
}

function testedOnSeen(
  node: WorkflowNode,
  model: string,
  port: string,
  arriving: ArrivingCases,
): WorkflowIssue[] {
  const seen = overlap(arriving.get(port), arriving.get(model))
  if (seen === undefined) return []
  const leak = arriving.get(model)?.leak
  return [
    {
      severity: leak?.allowed ? 'warning' : 'error',
      path: `nodes.${node.id}.inputs.${port}`,
      code: 'DATASET_LEAK',
      ...messageOf(phrase('tested_on_training_cases', { cases: seen })),
      ...hintOf(...remedyOf(leak)),
      node: node.id,
      port,
    },
  ]
}

/** Predictions for training cases are allowed: they measure nothing. */
function predictedSeen(
  node: WorkflowNode,
  model: string,
  port: string,
  arriving: ArrivingCases,
): WorkflowIssue[] {
  const seen = overlap(arriving.get(port), arriving.get(model))
  if (seen === undefined) return []
  return [
    {
      severity: 'warning',
      path: `nodes.${node.id}.inputs.${port}`,
      code: 'DATASET_LEAK',
      ...messageOf(phrase('predicts_training_cases', { cases: seen })),
      ...hintOf(phrase('evaluate_on_test')),
      node: node.id,
      port,
    },
  ]
}

function remedyOf(leak: LeakField | undefined): Phrase[] {
  const split = phrase('split_the_data')
  if (!leak) return [split]
  const { field, node } = leak
  if (leak.allowed) return [phrase('leak_allowed', { field, node })]
  return [split, after('space', phrase('evaluate_anyway', { field, node }))]
}

/** Cases that certainly differ from the fitted ones; if that is unknown, it is detected at run time. */
function continuedOnOthers(
  node: WorkflowNode,
  { fitted, on: ports, when }: Extract<LineageRelation, { relation: 'continues' }>,
  arriving: ArrivingCases,
): WorkflowIssue[] {
  const before = arriving.get(fitted)
  const given = ports.map((port) => arriving.get(port)).filter((one) => one !== undefined)
  const now = unionOf(given)
  if (given.length < ports.length || !before?.certain || !now?.certain || sameParts(before, now)) return []
  return [
    {
      severity: 'error',
      path: `nodes.${node.id}.inputs.${fitted}`,
      code: 'CHECKPOINT_MISMATCH',
      ...messageOf(
        phrase('continued_on_others', {
          node: node.id,
          before: listed(before.parts),
          now: listed(now.parts),
        }),
      ),
      ...hintOf(
        phrase('connect_original_data', {
          ports: together(ports),
          field: when.field,
          node: node.id,
          value: when.otherwise,
        }),
      ),
      node: node.id,
      port: fitted,
    },
  ]
}

function together(ports: readonly string[]): Phrase[] {
  const [first = '', ...others] = ports
  return [
    phrase('name', { name: first }),
    ...others.map((name) => after('space', phrase('and_port', { name }))),
  ]
}

function fittedAbove(node: WorkflowNode, fitted: Fitted | undefined): WorkflowIssue[] {
  if (!fitted) return []
  return [
    {
      severity: 'warning',
      path: `nodes.${fitted.node}`,
      code: 'FITTED_ABOVE_SPLIT',
      ...messageOf(
        phrase('fitted_above_split', { node: fitted.node, split: node.id, output: fitted.output }),
      ),
      ...hintOf(phrase('split_first')),
      node: fitted.node,
    },
  ]
}

function place(node: string, output: string): string {
  return `${node}\n${output}`
}
