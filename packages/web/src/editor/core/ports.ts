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
import { arriving, type Connection, type Document, downstream, leaving, type Node, nodeOf } from './document'
import type { Ends } from './edits'

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
    inputs: new Set(arriving(document, node.id).map(({ target_port }) => target_port)),
    outputs: new Set(leaving(document, node.id).map(({ source_port }) => source_port)),
  }
  const inputs = (record?.inputs ?? []).flatMap((port) =>
    port.multiple ? repeated(port, named.inputs) : [view(port, port.name, port.optional)],
  )
  const outputs = (record?.outputs ?? []).map((port) => view(port, port.name, false))
  return {
    inputs: [...inputs, ...missing(inputs, named.inputs)],
    outputs: [...outputs, ...missing(outputs, named.outputs)],
  }
}

function view(
  { title, type }: { readonly title: string; readonly type: ValueType },
  name: string,
  optional: boolean,
): PortView {
  return { name, title, type, optional }
}

/** The connected ports of a numbered port, and the next free one. */
function repeated(port: NodeRecord['inputs'][number], connected: ReadonlySet<string>): PortView[] {
  const stem = port.name.replace(/\d+$/, '')
  const first = Number(port.name.slice(stem.length))
  const views: PortView[] = []
  for (let number = first; number <= MAX_REPEATS; number++) {
    const name = `${stem}${number}`
    views.push(view(port, name, true))
    if (!connected.has(name) && ![...connected].some((other) => Number(other.slice(stem.length)) > number))
      break
  }
  return views
}

/** Connected ports that the catalog does not contain: shown so that their connections are not lost. */
function missing(known: readonly PortView[], connected: ReadonlySet<string>): PortView[] {
  const names = new Set(known.map(({ name }) => name))
  return [...connected]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, title: name, type: null, optional: true }))
}

/** Compatibility of an output with an input, with the reason if they are incompatible. */
export type Fit =
  | { readonly fits: true; readonly how: string | null; readonly replaced: readonly Connection[] }
  | {
      readonly fits: false
      readonly why: 'unknown' | 'loop' | 'type' | 'kind'
      readonly from: string
      readonly to: string
    }

/** `loops`: whether the wire would close a loop, if the caller knows. */
export function fit(
  document: Document,
  catalog: Catalog,
  ends: Ends,
  loops: boolean = downstream(document, ends.target).has(ends.source),
): Fit {
  const output = outputOf(document, catalog, ends.source, ends.source_port)
  const input = inputOf(document, catalog, ends.target, ends.target_port)
  const refused = { fits: false, from: output?.type ?? '?', to: input?.type ?? '?' } as const
  if (!output || !input) return { ...refused, why: 'unknown' }
  if (loops) return { ...refused, why: 'loop' }
  const converted = conversion(output.type, input.type)
  if (!converted) return { ...refused, why: 'type' }
  if (!kindFits(document, catalog, ends, output.type, input))
    return { ...refused, why: 'kind', from: output.title, to: input.title }
  return {
    fits: true,
    how: output.type === input.type ? null : converted.how,
    replaced: displaced(document, catalog, ends, output.type, input.type),
  }
}

/** Conversion of the values on a wire; null: no conversion, or one of its ports is unknown. */
export function converterOf(document: Document, catalog: Catalog, ends: Ends) {
  const from = outputOf(document, catalog, ends.source, ends.source_port)?.type
  const to = inputOf(document, catalog, ends.target, ends.target_port)?.type
  if (from === undefined || to === undefined || from === to) return null
  const converted = conversion(from, to)
  return converted?.how ? { from, to, how: converted.how } : null
}

function kindFits(
  document: Document,
  catalog: Catalog,
  { source, source_port, target }: Ends,
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
function displaced(
  document: Document,
  catalog: Catalog,
  { target, target_port }: Ends,
  from: ValueType,
  to: ValueType,
): readonly Connection[] {
  const there = arriving(document, target, target_port)
  if (joinedParts(to) === null) return there
  const parts = partsOf(from)
  return there.filter(({ source, source_port }) => {
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
  const seen = new Set<string>()
  let at = { node, port }
  while (!seen.has(at.node)) {
    seen.add(at.node)
    const output = outputOf(document, catalog, at.node, at.port)
    if (!output) return undefined
    const carried = output.carries === null ? undefined : inputOf(document, catalog, at.node, output.carries)
    const arrived = carried && arriving(document, at.node, carried.name)[0]
    if (!carried?.passes_kinds?.length || !arrived) return output.kind ?? undefined
    at = { node: arrived.source, port: arrived.source_port }
  }
  return undefined
}
