import type { Model } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
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
  if (continued) throw new AppError('MODEL_IN_USE', `the job ${continued} continues from its checkpoint`)
  const active = await activeRunUsing(transaction, job_id)
  if (active)
    throw new AppError(
      'MODEL_IN_USE',
      `the run ${active.run_id} of the workflow ${active.workflow_id} uses it`,
    )
  const nodes = await nodesComputedBy(transaction, job_id)
  const shared = [
    `its evaluations, ${evaluations} of them on a test split`,
    'the comparisons in which it is the first model',
    ...aliases.map((alias) => `the alias ${alias} names the model before it, if there is one`),
  ]
  if (model.ensemble)
    return {
      id: model_id,
      folders: [run.path],
      lost: [`the ensemble ${model_id} with its record ${job_id}; its members stay`, ...shared],
    }
  return {
    id: model_id,
    folders: [run.checkpoints, run.evaluations, run.comparisons, run.exports],
    lost: [
      `the model ${model_id} with its checkpoints`,
      ...shared,
      `the job ${job_id} keeps its log, curves and reports and cannot be resumed`,
      ...nodes.map(
        ({ node, name }) => `the node ${node} of the workflow "${name}" is trained again when it is needed`,
      ),
    ],
  }
}
