import type { ModelSource } from '../sources/model-source.js'
import { checkpointContent } from './checkpoint-content.js'
import type { NodeExecutor } from './executor.js'
import { joinCases } from './join-cases.js'
import { computeInWorker } from './worker-node.js'

/** Images and a table that were loaded separately are joined first. The worker does not know registered models: the service finds them. */
export function predictCases(models: ModelSource): NodeExecutor<'PredictCases'> {
  return async (task, context) => {
    const joined = await joinCases(task, context, ['cases'])
    const { model_id } = task.config
    const named = model_id === null ? null : await models.find(model_id)
    const registered =
      named && checkpointContent(named.model.checkpoint_path, named.manifest, context.service)
    return computeInWorker<'PredictCases'>(joined, context, { ...task.config, registered })
  }
}
