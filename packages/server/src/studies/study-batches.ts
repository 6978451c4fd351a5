import {
  atPlace,
  isSet,
  phrase,
  type StudyConfig,
  type StudyFolds,
  type TrainingConfig,
  textOf,
  variantConfig,
} from '@medloom/contracts'
import { AppError, issueAt } from '../errors.js'

const BATCH_SIZE = ['training', 'batch_size']

/**
 * @param folds those of the study; none: the study has no folds
 * @throws AppError BATCH_TOO_LARGE if a training of the study would have fewer cases than its batch
 */
export function refuseLargeBatches(
  { config, variants, search }: StudyConfig,
  read: StudyFolds,
  folds: StudyFolds['folds'],
): void {
  const counts = folds.map(({ training_cases }) => training_cases)
  const cases = counts.length > 0 ? Math.min(...counts) : (read.training_cases ?? Infinity)
  for (const [index, { config: changes }] of variants.entries()) {
    const complete = variantConfig(config, changes)
    if (!complete.ok || !hasThoseCases(complete.value, config)) continue
    const place = isSet(changes, BATCH_SIZE) ? `variants.${index}.config` : 'config'
    refuse(place, complete.value, cases)
  }
  if (search && !('training.batch_size' in search.space) && hasThoseCases(config, config))
    refuse('config', config, cases)
}

/** Returns true if the number of training cases of the base applies: a trained model decides which cases validate. */
function hasThoseCases({ data, model }: TrainingConfig, base: TrainingConfig): boolean {
  const same = (['val_fraction', 'missing_strategy', 'recipe'] as const).every(
    (key) => JSON.stringify(data[key]) === JSON.stringify(base.data[key]),
  )
  return same && model.fine_tune_from === null
}

function refuse(place: string, { training: { batch_size: size } }: TrainingConfig, cases: number): void {
  if (size <= cases) return
  const path = `${place}.${BATCH_SIZE.join('.')}`
  const message = textOf(phrase('batch_exceeds_training', { size: String(size), cases: String(cases) }))
  const error = new AppError('BATCH_TOO_LARGE', atPlace(path, message))
  throw new AppError(error.code, error.text, error.remedy, [issueAt(path, error)])
}
