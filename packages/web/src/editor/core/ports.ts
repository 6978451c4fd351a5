import type { NodeCatalog, NodeRecord } from '@medloom/contracts'
import {
  COMPOSITES,
  conversion,
  findInput,
  type InputPort,
  joinedParts,
  MAX_REPEATS,
  takesKind,
  type ValueType,
} from '@medloom/contracts/plain'
import { type Connection, type Document, downstream, incoming, type Node, nodeOf, outgoing } from './document'
import type { WireEnds } from './edits'

/** Node catalog, by type. */
export type Catalog = ReadonlyMap<string, NodeRecord>

export const catalogOf = ({ nodes }: NodeCatalog): Catalog => new Map(nodes.map((node) => [node.type, node]))

/** A port of a node in the document. The ports of an unknown type are those that its connections name. */
export interface PortView {
  readonly name: string
  readonly title: string
  /** null: unknown. */
  readonly type: ValueType | null
  readonly optional: boolean
}

export interface Ports {
  readonly inputs: readonly PortView[]
  readonly outputs: readonly PortView[]
}

export function portsOf(document: Document, node: Node, catalog: Catalog): Ports {
  const record = catalog.get(node.type)
  const named = {
    inputs: new Set(incoming(document, node.id).map(({ target_port }) => target_port)),
    outputs: new Set(outgoing(document, node.id).map(({ source_port }) => source_port)),
  }
  const inputs = (record?.inputs ?? []).flatMap((port) =>
    port.multiple ? numberedPorts(port, named.inputs) : [portView(port, port.name, port.optional)],
  )
  const outputs = (record?.outputs ?? []).map((port) => portView(port, port.name, false))
  return {
    inputs: [...inputs, ...undeclaredPorts(inputs, named.inputs)],
    outputs: [...outputs, ...undeclaredPorts(outputs, named.outputs)],
  }
}

function portView(
  { title, type }: { readonly title: string; readonly type: ValueType },
  name: string,
  optional: boolean,
): PortView {
  return { name, title, type, optional }
}

/** The connected ports of a numbered port, and the next free one. */
function numberedPorts(port: NodeRecord['inputs'][number], connected: ReadonlySet<string>): PortView[] {
  const stem = port.name.replace(/\d+$/, '')
  const first = Number(port.name.slice(stem.length))
  const views: PortView[] = []
  for (let number = first; number <= MAX_REPEATS; number++) {
    const name = `${stem}${number}`
    views.push(portView(port, name, true))
    if (!connected.has(name) && ![...connected].some((other) => Number(other.slice(stem.length)) > number))
      break
  }
  return views
}

/** Connected ports that the catalog does not contain: shown so that their connections are not lost. */
function undeclaredPorts(known: readonly PortView[], connected: ReadonlySet<string>): PortView[] {
  const names = new Set(known.map(({ name }) => name))
  return [...connected]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, title: name, type: null, optional: true }))
}

/** Compatibility of an output with an input, with the reason if they are incompatible. */
export type Compatibility =
  | { readonly fits: true; readonly conversion: string | null; readonly replaced: readonly Connection[] }
  | {
      readonly fits: false
      readonly reason: 'unknown' | 'loop' | 'type' | 'kind'
      readonly from: string
      readonly to: string
    }

/** `loops`: whether the wire would close a loop, if the caller knows. */
export function checkCompatibility(
  document: Document,
  catalog: Catalog,
  ends: WireEnds,
  loops: boolean = downstream(document, ends.target).has(ends.source),
): Compatibility {
  const output = outputOf(document, catalog, ends.source, ends.source_port)
  const input = inputOf(document, catalog, ends.target, ends.target_port)
  const refused = { fits: false, from: output?.type ?? '?', to: input?.type ?? '?' } as const
  if (!output || !input) return { ...refused, reason: 'unknown' }
  if (loops) return { ...refused, reason: 'loop' }
  const converted = conversion(output.type, input.type)
  if (!converted) return { ...refused, reason: 'type' }
  if (!kindFits(document, catalog, ends, output.type, input))
    return { ...refused, reason: 'kind', from: output.title, to: input.title }
  return {
    fits: true,
    conversion: output.type === input.type ? null : converted.how,
    replaced: replacedConnections(document, catalog, ends, output.type, input.type),
  }
}

/** Conversion of the values on a wire; null: no conversion, or one of its ports is unknown. */
export function converterOf(document: Document, catalog: Catalog, ends: WireEnds) {
  const from = outputOf(document, catalog, ends.source, ends.source_port)?.type
  const to = inputOf(document, catalog, ends.target, ends.target_port)?.type
  if (from === undefined || to === undefined || from === to) return null
  const converted = conversion(from, to)
  return converted?.how ? { from, to, how: converted.how } : null
}

function kindFits(
  document: Document,
  catalog: Catalog,
  { source, source_port, target }: WireEnds,
  from: ValueType,
  input: InputPort,
): boolean {
  const kind = kindOf(document, catalog, source, source_port)
  if (from !== 'config' || input.type === 'config' || input.type === 'any') return takesKind(input, kind)
  // A configuration sent to a composite node reaches the inner node that accepts it.
  const record = catalog.get(nodeOf(document, target)?.type ?? '')
  return record?.inputs.some((other) => other.type === 'config' && other.kind === (kind ?? null)) === true
}

/** Connections that the new one replaces: all of the port, but only those of the same part if a port joins several values. */
function replacedConnections(
  document: Document,
  catalog: Catalog,
  { target, target_port }: WireEnds,
  from: ValueType,
  to: ValueType,
): readonly Connection[] {
  const existing = incoming(document, target, target_port)
  if (joinedParts(to) === null) return existing
  const parts = partsOf(from)
  return existing.filter(({ source, source_port }) => {
    const type = outputOf(document, catalog, source, source_port)?.type
    return type === undefined || partsOf(type).some((part) => parts.includes(part))
  })
}

function partsOf(type: ValueType): readonly ValueType[] {
  return type === 'dataset' ? COMPOSITES.multimodal : [type]
}

function outputOf(document: Document, catalog: Catalog, node: string, port: string) {
  const type = nodeOf(document, node)?.type
  return type === undefined ? undefined : catalog.get(type)?.outputs.find(({ name }) => name === port)
}

function inputOf(document: Document, catalog: Catalog, node: string, port: string): InputPort | undefined {
  const type = nodeOf(document, node)?.type
  const record = type === undefined ? undefined : catalog.get(type)
  return findInput(record?.inputs.map(asDeclared) ?? [], port)
}

/** Port in the form of the contracts: unset properties are absent. */
function asDeclared({
  kind,
  optional,
  multiple,
  implicit,
  ...port
}: NodeRecord['inputs'][number]): InputPort {
  return {
    ...port,
    ...(kind === null ? {} : { kind }),
    ...(optional ? { optional } : {}),
    ...(multiple ? { multiple } : {}),
    ...(implicit ? { implicit } : {}),
  }
}

/** Kind of the values of an output: its own, or that of the input that it passes on, followed upstream. */
function kindOf(document: Document, catalog: Catalog, node: string, port: string): string | undefined {
  const visited = new Set<string>()
  let current = { node, port }
  while (!visited.has(current.node)) {
    visited.add(current.node)
    const output = outputOf(document, catalog, current.node, current.port)
    if (!output) return undefined
    const carried =
      output.carries === null ? undefined : inputOf(document, catalog, current.node, output.carries)
    const connection = carried && incoming(document, current.node, carried.name)[0]
    if (!carried?.passes_kinds?.length || !connection) return output.kind ?? undefined
    current = { node: connection.source, port: connection.source_port }
  }
  return undefined
}
