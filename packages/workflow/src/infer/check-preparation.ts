import { DataConfig, type WorkflowIssue, type WorkflowNode } from '@medloom/contracts'
import type { Arriving, Setting } from './infer.js'

/** By node type: where what was trained arrives, and the data that it is then applied to. */
const APPLIED: Readonly<Record<string, { readonly trained: string; readonly to: readonly string[] }>> = {
  TrainModel: { trained: 'train_dataset', to: ['val_dataset'] },
  ResumeTraining: { trained: 'checkpoint_path', to: ['train_dataset', 'val_dataset'] },
  EvaluateModel: { trained: 'model', to: ['test_dataset'] },
}
/** Only training images are augmented, so the branches may differ in it. */
const VARIES = 'data.augmentation'

/** What the nodes above have set, without what they say of data that a preparation is only applied to. */
export function applied(type: string, arriving: Arriving): Record<string, Setting> {
  const ignored = APPLIED[type]?.to ?? []
  const values = Object.entries(arriving).filter(([port]) => !ignored.includes(port))
  return Object.assign({}, ...values.map(([, { settings }]) => settings))
}

/**
 * There is one preparation: the one of the training branch, which is applied to validation and test data. A node on another branch that
 * says something else would be without effect, so it is refused, also where the training branch leaves the default.
 */
export function checkPreparation(node: WorkflowNode, arriving: Arriving): WorkflowIssue[] {
  const { trained: port, to } = APPLIED[node.type] ?? { trained: '', to: [] }
  const trained = arriving[port]
  if (!trained || (trained.type === 'model' && trained.kind !== 'trained')) return []
  return to.flatMap((port) =>
    Object.entries(arriving[port]?.settings ?? {}).flatMap(([key, setting]) => {
      const before = trained.settings?.[key]
      if (key === VARIES || before?.node === setting.node) return []
      const value = before ? before.value : defaultOf(key)
      return JSON.stringify(value) === JSON.stringify(setting.value)
        ? []
        : [conflict(node, port, key, before, setting)]
    }),
  )
}

function defaultOf(key: string): unknown {
  const name = key.replace(/^data\./, '') as keyof typeof DataConfig.shape
  return DataConfig.shape[name]?.safeParse(undefined).data
}

function conflict(
  node: WorkflowNode,
  port: string,
  key: string,
  before: Setting | undefined,
  setting: Setting,
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
