import { phrase } from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { FollowUpsRepository } from '../../follow-ups/follow-ups.repository.js'
import type { ModelSource } from '../sources/model-source.js'
import { checkpointContent } from './checkpoint-content.js'
import type { NodeExecutor } from './executor.js'
import { joinCases } from './join-cases.js'
import { computeInWorker } from './worker-node.js'

/**
 * Images and a table that were loaded separately are joined first. The worker does not know registered models: the service finds them, and
 * refuses one whose predictions a silent follow-up hides.
 */
export function predictCases(models: ModelSource): NodeExecutor<'PredictCases'> {
  return async (task, context) => {
    const { model_id } = task.config
    const named = model_id === null ? null : await models.find(model_id)
    if (named && (await new FollowUpsRepository(context.service.database).hides(named.model.model_id)))
      throw new AppError(
        'FOLLOW_UP_SILENT',
        phrase('predictions_are_hidden', { model: named.model.model_id }),
      )
    const joined = await joinCases(task, context, ['cases'])
    const registered =
      named && checkpointContent(named.model.checkpoint_path, named.manifest, context.service)
    return computeInWorker<'PredictCases'>(joined, context, { ...task.config, registered })
  }
}
