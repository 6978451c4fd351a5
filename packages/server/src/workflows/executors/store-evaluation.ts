import { basename, join } from 'node:path'
import type { Blob, EvaluationResult, MetricsContent, NodeContent } from '@medloom/contracts'
import type { z } from 'zod'
import { writeTextAtomically } from '../../storage/files.js'
import { makeFolder } from '../../storage/own-folder.js'
import { evaluationFiles, type RunDirectory } from '../../storage/run-directory.js'
import { copyInto } from '../cache/artifact-store.js'
import type { ExecutionContext } from './executor.js'

interface Measured {
  readonly metrics: z.infer<typeof MetricsContent>
  readonly result: EvaluationResult
  readonly predictions: NodeContent
}

/**
 * Stored next to the other evaluations of the model: the document, the prediction of every case and the images of failure cases. The
 * artifacts of a workflow are removed with it; an evaluation is removed with its model.
 */
export async function storeEvaluation(
  { metrics, result, predictions }: Measured,
  run: RunDirectory,
  evaluationId: string,
  { store }: Pick<ExecutionContext, 'store'>,
): Promise<void> {
  const folder = run.evaluation(evaluationId)
  await makeFolder(folder)
  const files = evaluationFiles(folder)
  const keep = async (blob: Blob, name: string) =>
    copyInto(await store.open(blob), join(folder, basename(name)))
  if (predictions.content === 'predictions') await keep(predictions.table, result.predictions)
  for (const { blob, path } of metrics.files ?? []) await keep(blob, path)
  if (metrics.failure_images)
    await writeTextAtomically(files.images, await store.read(metrics.failure_images))
  // Written last, so that an evaluation with a document is complete.
  await writeTextAtomically(files.result, await store.read(metrics.document))
}
