import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import {
  after,
  EPOCH_SUMMARY,
  type Job,
  type Metrics,
  type NodeContent,
  type Phrase,
  phrase,
} from '@medloom/contracts'
import { AppError } from '../../../errors.js'
import { readManifest } from '../../../storage/checkpoints.js'
import { readHistory } from '../../../storage/run-history.js'
import { safeName } from '../../project/project-folder.js'
import { checkpointContent } from '../checkpoint-content.js'
import { type ExecutionContext, type NodeResult, summarize } from '../executor.js'
import type { PlannedTraining } from './plan-training.js'

type Cases = Extract<NodeContent, { content: 'cases' }>

/** The model of a completed training job, for the nodes below. */
export async function trainedModel(
  job: Job,
  { train, val, settings }: PlannedTraining,
  { service }: ExecutionContext,
): Promise<NodeResult> {
  const checkpoint = checkpointOf(job, service.folder)
  const manifest = await readManifest(checkpoint)
  if (!job.prepared) throw new AppError('TRAINER_FAILED', phrase('training_without_description'))
  const { task, classes } = job.prepared
  return {
    content: {
      content: 'trained_model',
      job_id: job.job_id,
      model_id: job.model_id,
      ...checkpointContent(checkpoint, manifest, service),
      settings: { ...settings },
      task,
      classes,
      lineage: mergedLineage(train, val),
      train_table: train.table,
      val_table: val?.table ?? null,
    },
    ...summarize(
      phrase('name', { name: job.config.model.vision_backbone }),
      phrase('name', { name: job.config.model.fusion_type }),
      phrase('best_of_epochs', { count: job.epoch }),
      ...headline(job.best?.metrics ?? {}),
    ),
  }
}

export async function trainingHistory(job: Job, { service, store }: ExecutionContext): Promise<NodeResult> {
  const { epochs } = await readHistory(service.folder.run(job.job_id), job.attempt)
  const history = (epochs ?? []).map(({ epoch, metrics }) => ({ epoch, metrics }))
  const metrics = { ...(job.best?.metrics ?? history.at(-1)?.metrics ?? {}) }
  return {
    content: {
      content: 'history',
      document: await store.put(`${JSON.stringify({ epochs: history })}\n`, '.json'),
      metrics,
    },
    ...summarize(
      phrase('epochs', { count: history.length }),
      after('semicolon', phrase('best')),
      ...headline(metrics),
    ),
  }
}

/** The files of the best checkpoint, linked, so that the workflow keeps them when the job is deleted. */
export async function bestCheckpoint(
  job: Job,
  node: string,
  { service, store }: ExecutionContext,
): Promise<NodeResult> {
  const folder = checkpointOf(job, service.folder)
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  const files = await Promise.all(
    names.map(async (name) => ({
      title: name,
      blob: await store.putFile(join(folder, name), extname(name)),
      path: `checkpoints/${safeName(node)}/${name}`,
    })),
  )
  return {
    content: { content: 'files', kind: 'checkpoint', files },
    ...summarize(phrase('name', { name: `checkpoints/${safeName(node)}` })),
  }
}

/** The checkpoint that represents a completed job: the last one if there is no best epoch. */
export function checkpointOf({ job_id, best }: Job, folder: ExecutionContext['service']['folder']): string {
  return folder.run(job_id).checkpoint(best ? 'best' : 'last')
}

function mergedLineage(train: Cases, val: Cases | null): Cases['lineage'] {
  const entries = [...train.lineage, ...(val?.lineage ?? [])]
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

/** The metrics after a colon. */
function headline(metrics: Metrics): Phrase[] {
  const shown = EPOCH_SUMMARY.flatMap((name) => {
    const value = metrics[name]
    return typeof value === 'number' ? [phrase('metric', { metric: name, value: value.toFixed(3) })] : []
  })
  const [first = phrase('no_metric'), ...others] = shown
  return [after('colon', first), ...others]
}
