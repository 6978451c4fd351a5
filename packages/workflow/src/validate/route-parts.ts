import { type Catalog, findInput, type Workflow, type WorkflowConnection } from '@medloom/contracts'

/**
 * The connections as nodes take them: a part of a composite that has an input of its own arrives there (of training data, the
 * configuration), so nothing after this knows that it was drawn into the composite.
 */
export function routeParts(
  { nodes, connections }: Pick<Workflow, 'nodes'> & { readonly connections: readonly WorkflowConnection[] },
  catalog: Catalog,
): WorkflowConnection[] {
  const definitions = new Map(
    nodes.map(({ id, type }) => [id, Object.hasOwn(catalog, type) ? catalog[type] : undefined]),
  )
  return connections.map((connection) => {
    const target = definitions.get(connection.target)
    const { routes } = (target && findInput(target.inputs, connection.target_port)) ?? {}
    if (!target || !routes) return connection
    const source = definitions.get(connection.source)
    const output = source?.outputs.find(({ name }) => name === connection.source_port)
    const part = target.inputs.find(({ name }) => output && name === routes[output.type])
    return part && part.kind === output?.kind ? { ...connection, target_port: part.name } : connection
  })
}
