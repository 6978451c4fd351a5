import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CompareRequest, Comparison, ComparisonResult, Job, Model } from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { CaseQueries } from '../evaluations/cases/case-queries.js'
import type { TaskOptions } from '../ports/task-pool.js'
import { writeComparisonReport } from '../reports/comparison-reports.js'
import { makeFolder } from '../storage/own-folder.js'
import { comparisonFiles } from '../storage/run-directory.js'
import { kindOfTable } from '../training/configuration/config-paths.js'
import { defaultTable, evaluationDevice } from './evaluation-defaults.js'
import { onFreeDevice } from './evaluation-device.js'
import type { ModelsRepository } from './models.repository.js'
import type { TrainingPort } from './training-port.js'

export type CompareBody = z.output<typeof CompareRequest>

/** A model of a comparison, and the checkpoint that is compared. */
export interface ComparedModel {
  readonly model: Model
  readonly checkpoint: string
}

type Context = Pick<ServiceContext, 'folder' | 'pool' | 'roots'>

/**
 * Evaluate the models on the same cases while the caller waits, write comparison.json, predictions.csv and the report into the run
 * directory of the first one, and count an evaluation of each.
 */
export async function compareModels(
  compared: readonly ComparedModel[],
  body: CompareBody,
  context: Context,
  training: TrainingPort,
  repository: ModelsRepository,
  cases: Pick<CaseQueries, 'prepare'>,
  options: TaskOptions,
): Promise<Comparison> {
  const jobs = await Promise.all(compared.map(({ model }) => training.job(model.job_id)))
  const comparison_id = randomUUID()
  const [first] = compared
  const folder = context.folder.run(first?.model.job_id ?? '').comparison(comparison_id)
  const params = await taskOf(compared, jobs, body, folder, context)
  await makeFolder(folder)
  try {
    const { result, warnings } = await onFreeDevice(training.slots, params.device, (device) =>
      context.pool.run('compare', { ...params, device }, options),
    )
    const models = result.models.map(({ name }) => name)
    cases.prepare({ file: comparisonFiles(folder).result, images: null, attempt: null, models })
    const counts = await countEvaluations(compared, result, comparison_id, repository)
    const report_path = await writeComparisonReport(folder, {
      comparison: { ...result, warnings: [...result.warnings, ...warnings] },
      comparison_id,
      compared_at: new Date().toISOString(),
      models: compared.map(({ model }, index) => ({ ...model, test_evaluations: counts[index] ?? 1 })),
    })
    return {
      comparison_id,
      split: result.split,
      task: result.task,
      num_cases: result.num_cases,
      num_patients: result.num_patients,
      models: result.models.map(({ name, metrics, intervals, warnings: own }, index) => ({
        name,
        model_id: compared[index]?.model.model_id ?? '',
        metrics,
        intervals,
        warnings: own,
        test_evaluations: counts[index] ?? 1,
      })),
      pairs: result.pairs,
      report_path,
      predictions_path: join(folder, result.predictions),
      warnings: [...result.warnings, ...warnings],
    }
  } catch (error) {
    // The request is refused: remove the incomplete folder.
    if (error instanceof AppError) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** The model id, with the name of the checkpoint if it is not the best one. */
export function nameOf({ model, checkpoint }: ComparedModel): string {
  return checkpoint === model.checkpoint_path ? model.model_id : `${model.model_id} ${basename(checkpoint)}`
}

/** Parameters of the worker task, with the defaults of the trainings. */
async function taskOf(
  compared: readonly ComparedModel[],
  jobs: readonly Job[],
  body: CompareBody,
  outDir: string,
  { folder, roots }: Context,
) {
  const [job] = jobs
  if (!job) throw new Error('a comparison has models')
  const kind = kindOfTable(job.config.data.recipe)
  const csv = await (body.test_csv === undefined
    ? roots.resolveTable(
        defaultTable(job.config, job.prepared, body.split),
        'test_csv (from the training)',
        kind,
      )
    : roots.resolve(body.test_csv, 'test_csv', kind))
  const models = await Promise.all(
    compared.map(async (one, index) => {
      const imageRoot = body.image_root ?? jobs[index]?.config.data.image_root ?? null
      return {
        name: nameOf(one),
        checkpoint: one.checkpoint,
        image_root: imageRoot === null ? null : await roots.resolve(imageRoot, 'image_root', 'folder'),
      }
    }),
  )
  return {
    models,
    csv,
    split: body.split,
    out_dir: outDir,
    data_dir: folder.path,
    cache_dir: folder.cache,
    roots: [...roots.folders],
    device: evaluationDevice(job.config.training.device),
  }
}

/**
 * One for each model, including this evaluation. Counted before the report is written: the evaluation took place even if the report fails.
 */
async function countEvaluations(
  compared: readonly ComparedModel[],
  { split, models, num_cases, num_patients }: ComparisonResult,
  comparison_id: string,
  repository: ModelsRepository,
): Promise<number[]> {
  const counts: number[] = []
  for (const [index, { model }] of compared.entries()) {
    const { metrics = {}, digest = '', checkpoint_digest = '' } = models[index] ?? {}
    const { test_evaluations } = await repository.addEvaluation(
      {
        evaluation_id: randomUUID(),
        model_id: model.model_id,
        split,
        metrics,
        num_cases,
        num_patients,
        comparison_id,
      },
      { digest, checkpoint_digest },
    )
    counts.push(test_evaluations)
  }
  return counts
}
