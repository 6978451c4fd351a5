import { findInput } from '@medloom/contracts'
import { type ArrivingDigest, workflowDigest } from '../cache/cache-key.js'
import type { Hash } from '../cache/sha256.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs, Value } from '../values.js'

/** A value at the input at which it arrives. */
export interface ArrivingValue extends ArrivingDigest {
  /** undefined: an implicit input, which the run itself supplies. */
  readonly value: Value | undefined
}

/** A value in the form that an executor receives. */
export interface Arrived {
  readonly value: Value
  readonly from: ArrivingDigest['from']
}

/** Input port → arriving values. */
export function byPort(arriving: readonly ArrivingValue[]): Readonly<Record<string, readonly Arrived[]>> {
  const inputs: Record<string, Arrived[]> = {}
  for (const { port, from, value } of arriving) {
    if (!value) continue
    inputs[port] = [...(inputs[port] ?? []), { value, from }]
  }
  return inputs
}

/**
 * Arriving values of a node from the outputs of its upstream nodes; undefined while one of them is unknown. An unconnected implicit input
 * represents the workflow, whose digest is computed at most once.
 */
export function inputDigests(validated: Validated, hash: Hash) {
  let ofWorkflow: string | undefined
  return (
    number: number,
    outputsOf: (number: number) => Outputs | undefined,
  ): readonly ArrivingValue[] | undefined => {
    const { graph, definitions, workflow } = validated
    const definition = definitions[number]
    const arriving: ArrivingValue[] = []
    for (const { connection, source } of graph.incoming[number] ?? []) {
      const port = definition && findInput(definition.inputs, connection.target_port)
      const value = outputsOf(source)?.[connection.source_port]
      if (!value) return undefined
      if (!port) continue
      arriving.push({ port: connection.target_port, from: value.type, digest: value.digest, value })
    }
    for (const port of definition?.inputs ?? []) {
      if (!port.implicit) continue
      ofWorkflow ??= workflowDigest(workflow, hash)
      arriving.push({ port: `${port.name} (workflow)`, from: 'any', digest: ofWorkflow, value: undefined })
    }
    return arriving
  }
}
