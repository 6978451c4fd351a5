import { declaredSettings, NODES, type NodeConfig, type Phrase, phrase } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import { digestOfFile } from '../../storage/digests.js'
import { type NodeExecutor, type NodeResult, summarize } from './executor.js'

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
  return {
    backbone_config: settingsOf('SelectBackbone', task, ({ model_name }) => [named(model_name)], facts),
  }
}

export const selectFusion: NodeExecutor<'SelectFusion'> = (task) => ({
  fusion_config: settingsOf('SelectFusion', task, ({ strategy }) => [named(strategy)]),
})

export const selectAggregator: NodeExecutor<'SelectAggregator'> = (task) => ({
  aggregator_config: settingsOf('SelectAggregator', task, ({ method }) => [named(method)]),
})

export const configureTraining: NodeExecutor<'ConfigureTraining'> = (task) => ({
  training_config: settingsOf('ConfigureTraining', task, ({ epochs, batch_size, optimizer }) => [
    phrase('epochs', { count: epochs }),
    phrase('batches_of', { size: batch_size }),
    named(optimizer),
  ]),
})

const named = (name: string) => phrase('name', { name })

function settingsOf<T extends SettingsNode>(
  type: T,
  { config }: Task<NodeConfig<T>>,
  phrases: (config: NodeConfig<T>) => readonly Phrase[],
  facts: Record<string, unknown> = {},
): NodeResult {
  const settings = Object.fromEntries(
    Object.entries(declaredSettings(NODES[type], config)).map(([key, { value }]) => [key, value]),
  )
  return { content: { content: 'config', settings, facts }, ...summarize(...phrases(config)) }
}
