import type { Fold } from '../configuration/fold.js'
import type { TrainingConfig } from '../configuration/training-config.js'
import { studyBaselines } from './study-baselines.js'
import type { StudyConfig } from './study-config.js'
import { seedsOf } from './study-rules.js'
import { variantConfig } from './variants.js'

/** One training of a study: which variant, with which seed, and what it holds out. */
export interface StudyTraining {
  readonly variant: string
  readonly seed: number
  readonly fold: Fold | null
}

/**
 * The trainings of a study in the order in which they begin: every variant of a seed and fold before the next, so that variants can be
 * compared from early on.
 */
export function studyTrainings(study: StudyConfig, folds: readonly (Fold | null)[]): StudyTraining[] {
  return seedsOf(study).flatMap((seed) =>
    folds.flatMap((fold) => study.variants.map(({ name }) => ({ variant: name, seed, fold }))),
  )
}

/**
 * The complete configuration of one training. The baselines are fitted once for each seed and fold, beside one variant.
 * @throws TypeError for a study that its own check refuses.
 */
export function trainingOfStudy(study: StudyConfig, { variant, seed, fold }: StudyTraining): TrainingConfig {
  const changes = study.variants.find(({ name }) => name === variant)?.config
  if (!changes) throw new TypeError(`the study has no variant "${variant}"`)
  const { carrier, names } = studyBaselines(study)
  const config = completed(completed(study.config, changes), { training: { seed }, data: { fold } })
  return { ...config, baselines: variant === carrier ? names && [...names] : [] }
}

function completed(base: object, changes: Record<string, unknown>): TrainingConfig {
  const checked = variantConfig(base, changes)
  if (checked.ok) return checked.value
  throw new TypeError(checked.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
}
