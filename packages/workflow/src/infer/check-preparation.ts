import type {
  ArrivingDescriptions,
  LineageRelation,
  NodeDefinition,
  PlacedSetting,
  WorkflowIssue,
  WorkflowNode,
} from '@medloom/contracts'

type Application = Extract<LineageRelation, { relation: 'applied_to' }>

/** The settings of the nodes above, without those of data that a preparation is only applied to. */
export function handedOn(
  definition: NodeDefinition,
  arriving: ArrivingDescriptions,
): Record<string, PlacedSetting> {
  const ignored = applicationsOf(definition).flatMap(({ to }) => to)
  const values = Object.entries(arriving).filter(([port]) => !ignored.includes(port))
  return Object.assign({}, ...values.map(([, { settings }]) => settings))
}

/**
 * There is one preparation: the one of the branch that is fitted on, which is applied to all other data. A node on another branch that
 * says something else would be without effect, so it is refused, also where the fitted branch leaves the default.
 */
export function checkPreparation(
  node: WorkflowNode,
  definition: NodeDefinition,
  arriving: ArrivingDescriptions,
): WorkflowIssue[] {
  return applicationsOf(definition).flatMap(({ fitted: port, to }) => {
    const fitted = arriving[port]
    const kind = definition.inputs.find(({ name }) => name === port)?.kind
    // Of another kind than the port names (a model that is not trained, say): nothing has been fitted.
    if (!fitted || (kind !== undefined && fitted.kind !== kind)) return []
    return to.flatMap((applied) =>
      Object.entries(arriving[applied]?.settings ?? {}).flatMap(([key, setting]) => {
        const before = fitted.settings?.[key]
        if (setting.fit_only || before?.node === setting.node) return []
        const value = before ? before.value : setting.default
        return JSON.stringify(value) === JSON.stringify(setting.value)
          ? []
          : [conflict(node, applied, key, before, setting)]
      }),
    )
  })
}

function applicationsOf({ lineage }: NodeDefinition): Application[] {
  return lineage.filter((relation) => relation.relation === 'applied_to')
}

function conflict(
  node: WorkflowNode,
  port: string,
  key: string,
  before: PlacedSetting | undefined,
  setting: PlacedSetting,
): WorkflowIssue {
  const message = before
    ? `"${before.node}" and "${setting.node}" set ${key} differently, and both meet at "${node.id}"`
    : `"${setting.node}" sets ${key} for "${node.id}", which the training leaves at its default`
  return {
    severity: 'error',
    path: `nodes.${setting.node}.config.${setting.field}`,
    code: 'CONFLICTING_SETTINGS',
    message,
    hint: before
      ? 'Give both the same value: what is fitted on the training part is applied everywhere.'
      : 'Set it on the training branch: what is fitted there is applied everywhere.',
    node: setting.node,
    field: setting.field,
    port,
  }
}
