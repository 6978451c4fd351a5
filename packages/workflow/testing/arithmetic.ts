import {
  type Catalog,
  inferNothing,
  NO_CASES,
  type Workflow,
  type WorkflowConnection,
  type WorkflowNode,
} from '@medloom/contracts'
import { z } from 'zod'
import type { Executors, Task } from '../src/run/executor.js'
import { validate } from '../src/validate/validate.js'
import type { Value } from '../src/values.js'
import { Random } from './random.js'

/**
 * A catalog of arithmetic nodes: Number returns its value, Add returns the sum of its inputs and an offset, modulo a small number (so that
 * different inputs often produce the same output, which tests early cut-off). Small enough for a naive oracle.
 */
const numbers = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => ({ name: `in${i + 1}`, type: 'tensor', title: '', optional: true }) as const,
  )

export const ARITHMETIC = {
  Number: {
    group: 'Utility',
    title: 'Number',
    summary: '',
    runs: 'service',
    resource: 'io',
    version: 1,
    inputs: [],
    outputs: [{ name: 'out', type: 'tensor', title: '' }],
    config: z.strictObject({
      value: z.union([z.number(), z.boolean(), z.string()]).default(0),
      note: z.string().default('').meta({ affects_result: false }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  Add: {
    group: 'Utility',
    title: 'Add',
    summary: '',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: numbers(4),
    outputs: [{ name: 'out', type: 'tensor', title: '' }],
    config: z.strictObject({ offset: z.number().default(0), modulo: z.number().default(7) }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
} as const satisfies Catalog

/** The same, with numbers that are read from outside the workflow. */
export const READING = {
  ...ARITHMETIC,
  Number: {
    ...ARITHMETIC.Number,
    config: z.strictObject({
      value: z.number().default(0),
      path: z.string().default('file').meta({ reads: 'path' }),
    }),
  },
} as const satisfies Catalog

export function tensor(content: unknown): Value {
  const text = JSON.stringify(content)
  return { type: 'tensor', digest: `digest of ${text}`, summary: text, content }
}

export const arithmetic: Executors = {
  Number: ({ config }) => ({ out: tensor(config.value) }),
  Add: ({ config, inputs }: Task) => ({
    out: tensor(
      add(
        config,
        Object.values(inputs)
          .flat()
          .map(({ value }) => value.content),
      ),
    ),
  }),
}

function add(config: Readonly<Record<string, unknown>>, terms: readonly unknown[]): number {
  const sum = terms.reduce<number>((total, term) => total + Number(term), Number(config.offset ?? 0))
  return sum % Number(config.modulo ?? 7)
}

/** The naive oracle: evaluates every node recursively, without a memory across calls. */
export function expected(workflow: Workflow): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  const resultOf = (id: string): unknown => {
    const node = workflow.nodes.find((candidate) => candidate.id === id)
    if (!node) throw new Error(id)
    known[id] ??=
      node.type === 'Number'
        ? (node.config.value ?? 0)
        : add(
            node.config,
            workflow.connections.filter(({ target }) => target === id).map(({ source }) => resultOf(source)),
          )
    return known[id]
  }
  for (const { id } of workflow.nodes) resultOf(id)
  return known
}

export function workflowOf(
  nodes: readonly Pick<WorkflowNode, 'id' | 'type' | 'config'>[],
  connections: readonly Pick<WorkflowConnection, 'source' | 'source_port' | 'target' | 'target_port'>[],
): Workflow {
  return {
    version: '1.1',
    metadata: { name: '', description: '', author: '', tags: [] },
    nodes: nodes.map((node) => ({ position: { x: 0, y: 0 }, ...node })),
    connections: connections.map((connection, i) => ({ id: `c${i}`, ...connection })),
    execution_history: [],
  }
}

/** A workflow drawn in one line: `graph('a b > c > d, b > d')`. The value of a Number without an input is its position in the alphabet. */
export function graph(drawing: string, configs: Record<string, Record<string, unknown>> = {}): Workflow {
  const edges = drawing.split(',').flatMap((chain) => {
    const stages = chain.split('>').map((stage) => stage.trim().split(/\s+/).filter(Boolean))
    return stages
      .slice(1)
      .flatMap((targets, i) =>
        targets.flatMap((target) => (stages[i] ?? []).map((source) => [source, target] as const)),
      )
  })
  const ids = [...new Set(drawing.split(/[\s,>]+/).filter(Boolean))]
  const targets = new Set(edges.map(([, target]) => target))
  const used = new Map<string, number>()
  return workflowOf(
    ids.map((id) => {
      const fed = targets.has(id)
      const config = fed ? {} : { value: id.charCodeAt(0) - 96 }
      return { id, type: fed ? 'Add' : 'Number', config: { ...config, ...configs[id] } }
    }),
    edges.map(([source, target]) => {
      const port = (used.get(target) ?? 0) + 1
      used.set(target, port)
      return { source, source_port: 'out', target, target_port: `in${port}` }
    }),
  )
}

/** A random directed acyclic graph: up to four inputs per node, with ids independent of the topological order. */
export function randomGraph(seed: number, size: number): Workflow {
  const random = new Random(seed)
  const ids = random.shuffled(Array.from({ length: size }, (_, i) => `n${i}`))
  const nodes: Pick<WorkflowNode, 'id' | 'type' | 'config'>[] = []
  const connections: Pick<WorkflowConnection, 'source' | 'source_port' | 'target' | 'target_port'>[] = []
  ids.forEach((id, i) => {
    const fan = i === 0 ? 0 : random.below(5)
    if (fan === 0) nodes.push({ id, type: 'Number', config: { value: random.below(10) } })
    else nodes.push({ id, type: 'Add', config: { offset: random.below(5) } })
    for (let port = 1; port <= fan; port++)
      connections.push({
        source: ids[random.below(i)] ?? '',
        source_port: 'out',
        target: id,
        target_port: `in${port}`,
      })
  })
  return workflowOf(random.shuffled(nodes), random.shuffled(connections))
}

export function validated(workflow: Workflow, catalog: Catalog = ARITHMETIC) {
  return validate(workflow, catalog)
}
