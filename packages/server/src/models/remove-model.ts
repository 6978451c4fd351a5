import { type Model, phrase } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import { FollowUpsRepository } from '../follow-ups/follow-ups.repository.js'
import type { RemovalPlan } from '../removal/removals.js'
import { activeRunUsing, nodesComputedBy, unfinishedContinuation } from '../removal/uses.repository.js'
import type { RunDirectory } from '../storage/run-directory.js'

/**
 * Data that is removed with a model: its checkpoints, evaluations and exported files. Its job keeps its log, curves and reports; for an
 * ensemble, which has no training, the record is removed too.
 * @throws AppError MODEL_IN_USE when a training or a run needs the checkpoints.
 */
export async function planOfModel(
  model: Model,
  run: RunDirectory,
  transaction: Transaction<Tables>,
): Promise<RemovalPlan> {
  const { model_id, job_id, aliases, evaluations } = model
  const continued = await unfinishedContinuation(transaction, job_id)
  if (continued) throw new AppError('MODEL_IN_USE', phrase('job_continues_from_model', { job: continued }))
  const [followUp] = await new FollowUpsRepository(transaction).open(model_id)
  if (followUp) throw new AppError('MODEL_IN_USE', phrase('follow_up_is_open', { name: followUp.name }))
  const active = await activeRunUsing(transaction, job_id)
  if (active)
    throw new AppError(
      'MODEL_IN_USE',
      phrase('run_uses_it', { run: active.run_id, workflow: active.workflow_id }),
    )
  const nodes = await nodesComputedBy(transaction, job_id)
  const shared = [
    phrase('lost_evaluations', { count: evaluations }),
    phrase('lost_comparisons'),
    ...aliases.map((alias) => phrase('lost_alias', { alias })),
  ]
  if (model.ensemble)
    return {
      id: model_id,
      folders: [run.path],
      lost: [phrase('lost_ensemble', { model: model_id, job: job_id }), ...shared],
    }
  return {
    id: model_id,
    folders: [run.checkpoints, run.evaluations, run.comparisons, run.exports],
    lost: [
      phrase('lost_model', { model: model_id }),
      ...shared,
      phrase('job_without_checkpoints', { job: job_id }),
      ...nodes.map(({ node, name }) => phrase('node_trained_again', { node, workflow: name })),
    ],
  }
}
