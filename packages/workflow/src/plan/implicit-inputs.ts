import type { ImplicitInput, Warning } from '@medloom/contracts'
import { withAncestors } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs } from '../values.js'
import { type Arrived, type ArrivingValue, byPort } from './input-digests.js'

export interface NodeWarning extends Readonly<Warning> {
  readonly node: string
}

/** Data on which an implicit input may depend. */
export interface ImplicitRequest {
  readonly inputs: Readonly<Record<string, readonly Arrived[]>>
  /** Warnings of the upstream nodes when their results were computed, in the order of their ids. */
  readonly warningsAbove: readonly NodeWarning[]
  /** Direct and indirect upstream nodes with their complete configs, in the order of their ids. */
  readonly nodesAbove: readonly {
    readonly type: string
    readonly config: Readonly<Record<string, unknown>>
  }[]
  readonly workflowName: string
}

/** Returns the value of an implicit input as JSON. */
export type SupplyImplicit = (name: ImplicitInput, request: ImplicitRequest) => unknown

const NONE = {}

/** Values of the implicit inputs in the definition of a node, all of whose ancestors have outputs. */
export async function implicitInputs(
  { workflow, graph, definitions, configs }: Validated,
  number: number,
  arriving: readonly ArrivingValue[],
  outputsOf: (number: number) => Outputs | undefined,
  supply: SupplyImplicit | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const names = definitions[number]?.implicit_inputs ?? []
  if (names.length === 0) return NONE
  if (!supply) throw new Error('inputs from outside the workflow are not available here')
  const above = withAncestors(graph, [number])
  const warningsAbove = graph.nodes.flatMap(({ id }, other): NodeWarning[] => {
    if (!above[other] || other === number) return []
    const [output] = Object.values(outputsOf(other) ?? {})
    return (output?.warnings ?? []).map((warning) => ({ node: id, ...warning }))
  })
  const nodesAbove = graph.nodes.flatMap(({ type }, other) =>
    above[other] && other !== number ? [{ type, config: configs[other] ?? {} }] : [],
  )
  const workflowName = workflow.metadata.name
  const request: ImplicitRequest = { inputs: byPort(arriving), warningsAbove, nodesAbove, workflowName }
  const values: Record<string, unknown> = {}
  for (const name of names) values[name] = await supply(name, request)
  return values
}
