import {
  type ArrivingDescriptions,
  hintOf,
  type LineageRelation,
  messageOf,
  type NodeDefinition,
  type PlacedSetting,
  phrase,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'

type Application = Extract<LineageRelation, { relation: 'applied_to' }>

/** Settings of the upstream nodes, without those of data to which a preparation is only applied. */
export function handedOn(
  definition: NodeDefinition,
  arriving: ArrivingDescriptions,
): Record<string, PlacedSetting> {
  const ignored = applicationsOf(definition).flatMap(({ to }) => to)
  const values = Object.entries(arriving).filter(([port]) => !ignored.includes(port))
  return Object.assign({}, ...values.map(([, { settings }]) => settings))
}

/**
 * There is only one preparation: that of the fitted branch, which is applied to all other data. A node on another branch with a different
 * setting would have no effect, so it is rejected, even if the fitted branch uses the default.
 */
export function checkPreparation(
  node: WorkflowNode,
  definition: NodeDefinition,
  arriving: ArrivingDescriptions,
): WorkflowIssue[] {
  return applicationsOf(definition).flatMap(({ fitted: port, to }) => {
    const fitted = arriving[port]
    const kind = definition.inputs.find(({ name }) => name === port)?.kind
    // The value has another kind than the port (for example an untrained model), so nothing has been fitted.
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
    ? phrase('settings_differ', { first: before.node, second: setting.node, key, node: node.id })
    : phrase('setting_not_trained', { setter: setting.node, key, node: node.id })
  return {
    severity: 'error',
    path: `nodes.${setting.node}.config.${setting.field}`,
    code: 'CONFLICTING_SETTINGS',
    ...messageOf(message),
    ...hintOf(phrase(before ? 'same_value_in_both' : 'set_on_training_branch')),
    node: setting.node,
    field: setting.field,
    port,
  }
}
