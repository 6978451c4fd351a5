import { randomUUID } from 'node:crypto'
import { ModelsRepository } from '../../models/models.repository.js'
import { contentAt, type NodeExecutor } from './executor.js'
import { joinCases } from './join-cases.js'
import { readEvaluation } from './reports/report-sources.js'
import { computeInWorker } from './worker-node.js'

/**
 * Images and a table that were loaded separately are joined first. Every evaluation on test data is counted; that of a cached result
 * was counted when it was computed. The count is not part of the value, which must not depend on it.
 */
export const evaluateModel: NodeExecutor<'EvaluateModel'> = async (task, context) => {
  const joined = await joinCases(task, context, ['test_dataset'])
  const outputs = await computeInWorker<'EvaluateModel'>(joined, context, task.config)
  const model_id = contentAt(task, 'model', 'trained_model')?.model_id ?? null
  const { content, summary } = outputs.metrics
  if (model_id === null || content.content !== 'evaluation') return outputs
  const { split, source, metrics, num_cases, num_patients } = await readEvaluation(
    context.store,
    content.document,
  )
  const { service, workflow_id, run_id } = context
  const place = { workflow_id, run_id, node: task.node }
  const { test_evaluations } = await new ModelsRepository(service.database).addEvaluation(
    { evaluation_id: randomUUID(), model_id, split, metrics, num_cases, num_patients, ...place },
    source.digest,
  )
  if (test_evaluations === 1) return outputs
  return {
    ...outputs,
    metrics: {
      content,
      summary: `${summary}; evaluation ${test_evaluations} of the model on these data`,
    },
  }
}
