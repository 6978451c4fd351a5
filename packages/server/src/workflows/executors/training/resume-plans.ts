import { fineTuned, type NodeConfig, phrase, type TrainingConfig, trainerConfig } from '@medloom/contracts'
import { AppError, messageOfMismatches } from '../../../errors.js'
import { readStoredConfig } from '../../../training/configuration/stored-config.js'
import { trainedConfig } from '../../../training/configuration/trained-config.js'
import type { ArrivedCheckpoint } from './arrived-checkpoint.js'
import type { CaseSet, TrainingStart } from './plan-training.js'

type ResumeConfig = NodeConfig<'ResumeTraining'>

/**
 * Continue the same training from the epoch of the checkpoint. Its trainer refuses other data and other settings.
 * @throws AppError CHECKPOINT_MISMATCH
 */
export function continuation(arrived: ArrivedCheckpoint, node: ResumeConfig): TrainingStart {
  const { manifest } = arrived
  if (!manifest.files.optimizer)
    throw new AppError('CHECKPOINT_MISMATCH', phrase('checkpoint_saved_by_older'), phrase('train_node_again'))
  const before = onItsDevice(readStoredConfig(arrived.state.config), arrived)
  return {
    settings: () => ({
      ...settingsOf(before),
      'training.epochs': manifest.epoch + (node.epochs ?? before.training.epochs),
      'data.allow_leakage': before.data.allow_leakage || node.allow_leakage,
    }),
    async begin(config, jobId) {
      await arrived.place(jobId)
      return {
        config: { ...withTexts(config, arrived), baselines: arrived.job?.config.baselines ?? null },
        epoch: manifest.epoch,
        resumed_from: manifest.job_id,
        fine_tuned_from: manifest.fine_tuned_from ?? null,
      }
    },
  }
}

/** A new training that starts from the weights of the checkpoint, with the settings on which they depend. */
export function fineTuning(arrived: ArrivedCheckpoint, node: ResumeConfig): TrainingStart {
  const { manifest, job } = arrived
  const before = onItsDevice(trainedConfig(arrived.state), arrived)
  return {
    settings: (train) => ({
      ...settingsOf(before),
      ...train.settings,
      'training.epochs': node.epochs ?? before.training.epochs,
      'training.learning_rate': node.learning_rate ?? before.training.learning_rate,
      'data.allow_leakage': node.allow_leakage,
      'model.pretrained': false,
      'model.fine_tune_from': null,
    }),
    async begin(given, jobId, train) {
      const { config: complete, issues } = fineTuned(withColumnsOf(arrived, given, train), before, '')
      if (issues.length > 0)
        throw new AppError('CHECKPOINT_MISMATCH', messageOfMismatches(issues), phrase('connect_trained_data'))
      return {
        config: {
          ...withTexts(complete, arrived),
          model: { ...complete.model, fine_tune_from: await arrived.place(jobId) },
        },
        epoch: 0,
        resumed_from: null,
        fine_tuned_from: {
          job_id: manifest.job_id,
          model_id: job?.model_id ?? null,
          epoch: manifest.epoch,
          checkpoint_digest: manifest.files.model?.sha256 ?? '',
        },
      }
    },
  }
}

/** Columns that the model reads are not ignored, whatever their role in these data. @throws AppError COLUMN_NOT_FOUND */
function withColumnsOf({ state }: ArrivedCheckpoint, config: TrainingConfig, train: CaseSet): TrainingConfig {
  const read = state.preprocessing.table.columns.map(({ name }) => name)
  const { ignore_columns } = config.data
  const missing = read.filter(
    (name) => !train.feature_columns.includes(name) && !ignore_columns.includes(name),
  )
  if (missing.length > 0)
    throw new AppError(
      'COLUMN_NOT_FOUND',
      phrase('train_dataset_lacks', { columns: missing.join(', ') }),
      phrase('connect_same_columns'),
    )
  return {
    ...config,
    data: { ...config.data, ignore_columns: ignore_columns.filter((name) => !read.includes(name)) },
  }
}

/** Uses the requested device: the checkpoint contains the granted one. */
function onItsDevice(config: TrainingConfig, { job }: ArrivedCheckpoint): TrainingConfig {
  return { ...config, training: { ...config.training, device: job?.config.training.device ?? 'auto' } }
}

/** A checkpoint contains no report texts: those of its job are used. */
function withTexts(config: TrainingConfig, { job }: ArrivedCheckpoint): TrainingConfig {
  const report = job?.config.report
  return report ? { ...config, report } : config
}

function settingsOf(config: TrainingConfig): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(trainerConfig(config)).flatMap(([section, keys]) =>
      Object.entries(keys).map(([name, value]) => [`${section}.${name}`, value]),
    ),
  )
}
