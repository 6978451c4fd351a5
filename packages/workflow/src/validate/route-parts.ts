import { type Catalog, findInput, type Workflow, type WorkflowConnection } from '@medloom/contracts'

/**
 * The connections as nodes receive them: a part of a composite with its own input arrives there (for training data, the configuration), so
 * that later steps do not need to know that it was connected to the composite.
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
