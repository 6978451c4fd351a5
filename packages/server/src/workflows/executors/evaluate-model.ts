import { randomUUID } from 'node:crypto'
import { after, phrase } from '@medloom/contracts'
import { ModelsRepository } from '../../models/models.repository.js'
import { contentAt, type NodeExecutor, summarize } from './executor.js'
import { joinCases } from './join-cases.js'
import { readEvaluation } from './reports/report-sources.js'
import { storeEvaluation } from './store-evaluation.js'
import { computeInWorker } from './worker-node.js'

/**
 * Images and a table that were loaded separately are joined first. Every evaluation on test data is counted; that of a cached result was
 * counted when it was computed. The count is not part of the value, since the value must not depend on it.
 */
export const evaluateModel: NodeExecutor<'EvaluateModel'> = async (task, context) => {
  const joined = await joinCases(task, context, ['test_dataset'])
  const outputs = await computeInWorker<'EvaluateModel'>(joined, context, task.config)
  const model_id = contentAt(task, 'model', 'trained_model')?.model_id ?? null
  const { content, summary, summary_phrases } = outputs.metrics
  if (model_id === null || content.content !== 'evaluation') return outputs
  const result = await readEvaluation(context.store, content.document)
  const { split, source, metrics, intervals, num_cases, num_patients } = result
  const { service, workflow_id, run_id } = context
  const models = new ModelsRepository(service.database)
  const model = await models.find(model_id)
  const evaluation_id = randomUUID()
  if (model) {
    const measured = { metrics: content, result, predictions: outputs.predictions.content }
    await storeEvaluation(measured, service.folder.run(model.job_id), evaluation_id, context)
  }
  const place = { workflow_id, run_id, node: task.node }
  const { test_evaluations } = await models.addEvaluation(
    { evaluation_id, model_id, split, metrics, intervals, num_cases, num_patients, ...place },
    source,
  )
  if (test_evaluations === 1) return outputs
  const before = summary_phrases ?? [phrase('name', { name: summary })]
  const repeated = after('semicolon', phrase('repeated_evaluation', { number: test_evaluations }))
  return { ...outputs, metrics: { content, ...summarize(...before, repeated) } }
}
