import {
  atPlace,
  type ConfigurationOfWorkflow,
  hintOf,
  messageOf,
  phrase,
  type RouteRequest,
} from '@medloom/contracts'
import { scopeOf } from '@medloom/workflow'
import { AppError } from '../../errors.js'
import { type CheckContext, checkWorkflow } from '../check-workflow.js'
import { notRunnable } from '../workflow-errors.js'
import { workflowOf } from '../workflow-of.js'
import { configurationOf, type FindSource } from './workflow-configuration.js'

/** @throws AppError WORKFLOW_INVALID, WORKFLOW_CYCLE, INVALID_CONFIG; INVALID_REQUEST if the node is not a TrainModel node */
export async function configurationOfDocument(
  { workflow: document, node }: RouteRequest<'configurationOfWorkflow'>['body'],
  checkContext: CheckContext,
  signal?: AbortSignal,
): Promise<ConfigurationOfWorkflow> {
  const workflow = await workflowOf(document, signal)
  const training = workflow.nodes.filter(({ type }) => type === 'TrainModel').map(({ id }) => id)
  const target = node ?? (training.length === 1 ? training[0] : undefined)
  if (target === undefined || !training.includes(target)) throw notTraining(training)
  const checked = await checkWorkflow(workflow, checkContext, signal)
  const scope = scopeOf(checked.validated, { targets: [target] }, checked.more)
  if (!scope.ok) throw notRunnable(scope.issues)
  const find: FindSource = async (reads, value) => {
    if (reads === 'dataset') return (await checkContext.datasets.find(value, 'dataset_id')).place
    return { path: await checkContext.roots.resolve(value, 'path', reads === 'table' ? 'dataset' : 'any') }
  }
  return configurationOf(target, { validated: checked.validated, inputs: checked.inputs, find })
}

function notTraining(training: readonly string[]): AppError {
  const none = training.length === 0
  const message = phrase(none ? 'no_train_model' : 'several_train_models')
  const hint = none
    ? phrase('add_train_model')
    : phrase('they_are', { nodes: training.slice(0, 20).join(', ') })
  return new AppError('INVALID_REQUEST', atPlace('node', message), hint, [
    { path: 'node', code: 'UNKNOWN_NODE', ...messageOf(message), ...hintOf(hint) },
  ])
}
