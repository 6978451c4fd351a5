import { counted, declaredSettings, NODES, type NodeConfig } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import { digestOfFile } from '../../storage/digests.js'
import type { NodeExecutor, NodeResult } from './executor.js'

type SettingsNode = 'SelectBackbone' | 'SelectFusion' | 'SelectAggregator' | 'ConfigureTraining'

/** Nodes that only contain settings: their config as keys of the training configuration. */
export const selectBackbone: NodeExecutor<'SelectBackbone'> = async (task, { service }) => {
  const { pretrained } = task.config
  // The digest identifies the weights, which the path does not: other weights must not reuse cached results.
  const facts =
    typeof pretrained === 'string'
      ? {
          weights_sha256: await digestOfFile(
            await service.roots.resolve(pretrained, `nodes.${task.node}.config.pretrained`, 'file'),
          ),
        }
      : {}
  return { backbone_config: settingsOf('SelectBackbone', task, ({ model_name }) => model_name, facts) }
}

export const selectFusion: NodeExecutor<'SelectFusion'> = (task) => ({
  fusion_config: settingsOf('SelectFusion', task, ({ strategy }) => strategy),
})

export const selectAggregator: NodeExecutor<'SelectAggregator'> = (task) => ({
  aggregator_config: settingsOf('SelectAggregator', task, ({ method }) => method),
})

export const configureTraining: NodeExecutor<'ConfigureTraining'> = (task) => ({
  training_config: settingsOf(
    'ConfigureTraining',
    task,
    ({ epochs, batch_size, optimizer }) =>
      `${counted(epochs, 'epoch')}, batches of ${batch_size}, ${optimizer}`,
  ),
})

function settingsOf<T extends SettingsNode>(
  type: T,
  { config }: Task<NodeConfig<T>>,
  summary: (config: NodeConfig<T>) => string,
  facts: Record<string, unknown> = {},
): NodeResult {
  const settings = Object.fromEntries(
    Object.entries(declaredSettings(NODES[type], config)).map(([key, { value }]) => [key, value]),
  )
  return { content: { content: 'config', settings, facts }, summary: summary(config) }
}
