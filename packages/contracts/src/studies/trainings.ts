import type { Fold } from '../configuration/fold.js'
import type { TrainingConfig } from '../configuration/training-config.js'
import type { Checked } from '../validation/check.js'
import type { SearchSettings } from './search/search-config.js'
import { searchedConfig } from './search/space.js'
import { studyBaselines } from './study-baselines.js'
import type { StudyConfig } from './study-config.js'
import { seedsOf, trialsOf } from './study-rules.js'
import { variantConfig } from './variants.js'

/** One training of a study: its variant, its seed, and its held-out fold. Trials of a search are numbered from 0. */
export interface StudyTraining {
  readonly variant: string
  readonly seed: number
  readonly fold: Fold | null
  /** Null: a named variant. */
  readonly trial: number | null
}

/**
 * Trainings of a study in their starting order: every variant of a seed and fold before the next, so that variants can be compared early,
 * followed by the trials of the search on that seed and fold.
 */
export function studyTrainings(study: StudyConfig, folds: readonly (Fold | null)[]): StudyTraining[] {
  const { variants, search } = study
  return seedsOf(study).flatMap((seed) =>
    folds.flatMap((fold) => [
      ...variants.map(({ name }) => ({ variant: name, seed, fold, trial: null })),
      ...Array.from({ length: trialsOf(study) }, (_, trial) => {
        return { variant: search?.name ?? '', seed, fold, trial }
      }),
    ]),
  )
}

/**
 * Complete configuration of one training. The baselines are fitted once for each seed and fold, by one variant.
 * @param settings settings of a trial.
 * @throws TypeError for a study that its own check rejects.
 */
export function trainingOfStudy(
  study: StudyConfig,
  { variant, seed, fold, trial }: StudyTraining,
  settings: SearchSettings | null = null,
): TrainingConfig {
  const place = { training: { seed }, data: { fold } }
  if (trial !== null) {
    if (!settings) throw new TypeError(`trial ${trial} has no settings yet`)
    return completed(sound(searchedConfig(study.config, settings).checked), place)
  }
  const changes = study.variants.find(({ name }) => name === variant)?.config
  if (!changes) throw new TypeError(`the study has no variant "${variant}"`)
  const { carrier, names } = studyBaselines(study)
  const config = completed(completed(study.config, changes), place)
  return { ...config, baselines: variant === carrier ? names && [...names] : [] }
}

function completed(base: object, changes: Record<string, unknown>): TrainingConfig {
  return sound(variantConfig(base, changes))
}

function sound(checked: Checked<TrainingConfig>): TrainingConfig {
  if (checked.ok) return checked.value
  throw new TypeError(checked.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
}
