import {
  after,
  type Catalog,
  findInput,
  hintOf,
  messageOf,
  type NodeDefinition,
  type OutputPort,
  type Phrase,
  phrase,
  type Workflow,
  type WorkflowConnection,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'

/** Reason why a node of the document does not run. */
export interface Disabled {
  readonly why: 'muted' | 'bypassed' | 'needs_muted'
  /** For `needs_muted`: the muted node. */
  readonly by?: string
}

/** The part of a workflow that runs. */
export interface ActivePart {
  /** Paths of the values: past bypassed nodes, and not from or to nodes that do not run. */
  readonly connections: readonly WorkflowConnection[]
  /** Disabled nodes by id. */
  readonly disabled: ReadonlyMap<string, Disabled>
  readonly issues: readonly WorkflowIssue[]
}

/**
 * Muted and bypassed nodes are removed before anything else reads the graph, so that no executor, key or check needs to know about them. The
 * inputs of a node, and so its key, change only if a different value arrives.
 */
export function activePart({ nodes, connections }: Workflow, catalog: Catalog): ActivePart {
  if (!nodes.some(({ mode }) => mode)) return { connections, disabled: new Map(), issues: [] }
  const byId = new Map<string, WorkflowNode>()
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node)
  const definitionOf = (id: string) => definitionIn(catalog, byId.get(id)?.type)

  const bypass = new Bypass(byId, connections, definitionOf)
  const traveled = connections.map((connection) => bypass.follow(connection))
  const drawnOr = connections.map((connection, i) => {
    const found = traveled[i]
    return found && 'target' in found ? found : connection
  })
  const disabled = withoutValues(byId, drawnOr, definitionOf)
  const issues = new Map<string, WorkflowIssue>()
  const active = drawnOr.filter(({ source, source_port, target }, i) => {
    if (disabled.has(target)) return false
    const refused = traveled[i]
    if (!refused || 'target' in refused) return !disabled.has(source)
    // Reported for the node that cannot pass the value on, and for the node from which it is requested, whose targets must not run either.
    const places = [
      [refused.node ?? source, refused.port],
      [source, source_port],
    ] as const
    for (const [node, port] of places)
      issues.set(JSON.stringify([node, port]), {
        ...refused,
        path: `nodes.${node}`,
        node,
        ...(port === undefined ? {} : { port }),
      })
    return true
  })
  return { connections: active, disabled, issues: [...issues.values()] }
}

function definitionIn(catalog: Catalog, type: string | undefined): NodeDefinition | undefined {
  return type !== undefined && Object.hasOwn(catalog, type) ? catalog[type] : undefined
}

/** Follows values back past bypassed nodes; each output is followed once. */
class Bypass {
  private readonly into = new Map<string, WorkflowConnection[]>()
  /** By bypassed node and output: the connection that supplies the passed-on value, or the reason why there is none. */
  private readonly known = new Map<string, WorkflowConnection | WorkflowIssue>()

  constructor(
    private readonly nodes: ReadonlyMap<string, WorkflowNode>,
    connections: readonly WorkflowConnection[],
    private readonly definitionOf: (id: string) => NodeDefinition | undefined,
  ) {
    for (const connection of connections) {
      const { target } = connection
      if (!this.isBypassed(target)) continue
      const links = this.into.get(target)
      if (links) links.push(connection)
      else this.into.set(target, [connection])
    }
  }

  /** The effective connection of the value, or the reason why it cannot be passed on. */
  follow(connection: WorkflowConnection): WorkflowConnection | WorkflowIssue {
    if (this.isBypassed(connection.target)) return connection
    const path = new Set<string>()
    let end: WorkflowConnection | WorkflowIssue = connection
    while ('target' in end && this.isBypassed(end.source)) {
      const place: string = JSON.stringify([end.source, end.source_port])
      const next: WorkflowConnection | WorkflowIssue =
        this.known.get(place) ??
        (path.has(place) ? refusal(end, phrase('pass_is_circular')) : this.arriving(end))
      path.add(place)
      end = next
    }
    for (const place of path) this.known.set(place, end)
    return 'target' in end ? { ...connection, source: end.source, source_port: end.source_port } : end
  }

  /** Connection to the input that an output of a bypassed node passes on. */
  private arriving(connection: WorkflowConnection): WorkflowConnection | WorkflowIssue {
    const definition = this.definitionOf(connection.source)
    const output = definition?.outputs.find(({ name }) => name === connection.source_port)
    if (!definition || !output) return refusal(connection, phrase('pass_ports_unknown'))
    const links = this.into.get(connection.source) ?? []
    const inputs = passedBy(definition, output)
    if (inputs.length === 0)
      return refusal(connection, phrase('pass_without_input', { type: typeName(output) }))
    const connectionsOf = (name: string) =>
      links.filter(({ target_port }) => findInput(definition.inputs, target_port)?.name === name)
    const input = inputs.find((name) => connectionsOf(name).length > 0)
    if (input === undefined)
      return refusal(connection, phrase('pass_unconnected', { inputs: alternatives(inputs) }))
    const [first, ...others] = connectionsOf(input)
    if (others.length > 0 && !findInput(definition.inputs, input)?.multiple)
      return refusal(connection, phrase('pass_several', { port: input }))
    return first ?? refusal(connection, phrase('pass_unconnected', { inputs: input }))
  }

  private isBypassed(id: string): boolean {
    return this.nodes.get(id)?.mode === 'bypassed'
  }
}

function alternatives(names: readonly string[]): Phrase[] {
  const [first = '', ...others] = names
  return [
    phrase('name', { name: first }),
    ...others.map((name) => after('space', phrase('or_input', { name }))),
  ]
}

function refusal({ id, source, source_port }: WorkflowConnection, why: Phrase): WorkflowIssue {
  return {
    severity: 'error',
    path: `nodes.${source}`,
    code: 'BYPASS_IMPOSSIBLE',
    ...messageOf(phrase('not_passed_on', { node: source, port: source_port, reason: [why] })),
    ...hintOf(phrase('mute_or_connect')),
    node: source,
    port: source_port,
    connection: id,
  }
}

/** Names of the inputs whose value an output may pass on, the one that it carries first. */
export function passedBy(definition: Pick<NodeDefinition, 'inputs'>, output: OutputPort): string[] {
  const same = definition.inputs.filter(({ type, kind }) => type === output.type && kind === output.kind)
  return same
    .map(({ name }) => name)
    .sort((a, b) => Number(b === output.carries) - Number(a === output.carries))
}

function typeName({ type, kind }: OutputPort): string {
  return kind === undefined ? type : `${type} (${kind})`
}

/** Muted or bypassed nodes, and nodes that have no remaining values or lack a required one. */
function withoutValues(
  nodes: ReadonlyMap<string, WorkflowNode>,
  connections: readonly WorkflowConnection[],
  definitionOf: (id: string) => NodeDefinition | undefined,
): Map<string, Disabled> {
  const disabled = new Map<string, Disabled>()
  const open: string[] = []
  for (const { id, mode } of nodes.values()) {
    if (mode) disabled.set(id, { why: mode })
    if (mode === 'muted') open.push(id)
  }
  const from = new Map<string, WorkflowConnection[]>()
  /** By node: number of remaining connections in total and by declared input. */
  const remaining = new Map<string, Map<string, number>>()
  for (const connection of connections) {
    const { source, target } = connection
    if (source === target || !nodes.has(source) || disabled.has(target)) continue
    const leaving = from.get(source)
    if (leaving) leaving.push(connection)
    else from.set(source, [connection])
    count(remaining, connection, definitionOf(target), 1)
  }
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const by = disabled.get(id)?.by ?? id
    for (const connection of from.get(id) ?? []) {
      const { target } = connection
      if (disabled.has(target)) continue
      const [all, here, required] = count(remaining, connection, definitionOf(target), -1)
      if (all > 0 && (here > 0 || !required)) continue
      disabled.set(target, { why: 'needs_muted', by })
      open.push(target)
    }
  }
  return disabled
}

/** @returns number of connections of the node and of the input, and whether the input is required. */
function count(
  counts: Map<string, Map<string, number>>,
  { target, target_port }: WorkflowConnection,
  definition: NodeDefinition | undefined,
  by: 1 | -1,
): [all: number, here: number, required: boolean] {
  const port = definition && findInput(definition.inputs, target_port)
  const ofNode = counts.get(target) ?? new Map<string, number>()
  counts.set(target, ofNode)
  const add = (name: string) => {
    const now = (ofNode.get(name) ?? 0) + by
    ofNode.set(name, now)
    return now
  }
  const required = port !== undefined && !port.optional && !port.implicit
  return [add(''), add(port?.name ?? target_port), required]
}
