import {
  atPlace,
  type FineTunedFrom,
  fineTuned,
  isTerminal,
  namesFolder,
  phrase,
  statusPhrase,
  type TrainingConfig,
} from '@medloom/contracts'
import { z } from 'zod'
import { AppError, hintOfIssue, messageOfMismatches } from '../errors.js'
import type { ModelsRepository } from '../models/models.repository.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import type { Roots } from '../security/roots.js'
import { type Manifest, readState, verifyCheckpoint } from '../storage/checkpoints.js'
import { trainedConfig } from './configuration/trained-config.js'
import type { JobReader } from './job-reader.js'

export interface FineTuningOptions {
  readonly reader: Pick<JobReader, 'findNewest'>
  readonly models: Pick<ModelsRepository, 'find'>
  readonly exchange: RunExchanges
  readonly roots: Pick<Roots, 'openCheckpoint' | 'folders'>
}

/** A configuration with the checkpoint from which it starts, and the content of that checkpoint when the job was accepted. */
export interface Start {
  readonly config: TrainingConfig
  readonly fine_tuned_from: FineTunedFrom | null
}

const PLACE = 'config.model.fine_tune_from'

/**
 * Find the trained model from which a configuration starts, compare its digests, and take over the settings that a fine-tuning keeps.
 * @throws AppError MODEL_NOT_FOUND, JOB_NOT_FOUND, JOB_RUNNING, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH (every key
 * that differs from the trained model), PATH_NOT_ALLOWED.
 */
export async function startOf(config: TrainingConfig, options: FineTuningOptions): Promise<Start> {
  const reference = config.model.fine_tune_from
  if (reference === null) return { config, fine_tuned_from: null }
  const { folder, manifest } = await locate(reference, options)
  const state = await readState(folder, manifest)
  if (state.ensemble)
    throw new AppError(
      'CHECKPOINT_MISMATCH',
      atPlace(PLACE, phrase('ensemble_not_fine_tuned')),
      phrase('fine_tune_a_member'),
    )
  const { config: complete, issues } = fineTuned(config, trainedConfig(state))
  if (issues.length > 0)
    throw new AppError(
      'CHECKPOINT_MISMATCH',
      messageOfMismatches(issues.slice(0, 3)),
      issues[0] && hintOfIssue(issues[0]),
      issues,
    )
  const job = await options.reader.findNewest(manifest.job_id).catch(unlessUnknown)
  return {
    config: { ...complete, model: { ...complete.model, fine_tune_from: folder } },
    fine_tuned_from: {
      job_id: manifest.job_id,
      model_id: job?.model_id ?? null,
      epoch: manifest.epoch,
      checkpoint_digest: manifest.files.model?.sha256 ?? '',
    },
  }
}

/** The verified checkpoint of a job, of a model, or in a folder. */
async function locate(
  reference: string,
  { reader, models, exchange, roots }: FineTuningOptions,
): Promise<{ folder: string; manifest: Manifest }> {
  if (namesFolder(reference)) return inFolder(reference, roots)
  if (z.uuid().safeParse(reference).success) {
    const job = await reader.findNewest(reference).catch((error) => {
      throw error instanceof AppError ? new AppError(error.code, atPlace(PLACE, error.text)) : error
    })
    if (!isTerminal(job.status))
      throw new AppError(
        'JOB_RUNNING',
        atPlace(PLACE, phrase('job_is', { status: statusPhrase(job.status) })),
      )
    return ofRun(exchange(reference))
  }
  const model = await models.find(reference)
  if (!model)
    throw new AppError('MODEL_NOT_FOUND', atPlace(PLACE, phrase('model_unknown')), phrase('list_models'))
  return ofRun(exchange(model.job_id))
}

/** The checkpoint that represents a run: its best epoch, or the last one if there is no best epoch. */
async function ofRun(run: ReturnType<RunExchanges>) {
  const name = (await run.hasCheckpoint('best')) ? 'best' : 'last'
  return { manifest: await run.verifyCheckpoint(name), folder: run.localPath(name) }
}

async function inFolder(reference: string, roots: FineTuningOptions['roots']) {
  try {
    const { path } = await roots.openCheckpoint(reference, PLACE)
    return { folder: path, manifest: await verifyCheckpoint(path, roots.folders) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND')
      throw new AppError('CHECKPOINT_NOT_FOUND', error.text)
    throw error
  }
}

/** The checkpoint can come from another service. */
function unlessUnknown(error: unknown): null {
  if (error instanceof AppError && error.code === 'JOB_NOT_FOUND') return null
  throw error
}
