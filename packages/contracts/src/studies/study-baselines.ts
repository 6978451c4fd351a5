import type { Baseline } from '../configuration/baselines.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { check } from '../validation/check.js'
import type { StudyVariant } from './study-variant.js'
import { variantConfig } from './variants.js'

export interface StudyBaselines {
  /** As the key `baselines` of a training: null is inferred. */
  readonly names: readonly Baseline[] | null
  /** The variant beside whose trainings they are fitted, once for each seed and fold; null: there are none, or none can carry them. */
  readonly carrier: string | null
  /** Why no variant can carry the baselines that are named. */
  readonly problem: { readonly message: string; readonly hint: string } | null
}

/** The baselines of a study: fitted by the first variant that reads what they read. */
export function studyBaselines(study: {
  readonly config: TrainingConfig
  readonly variants: readonly StudyVariant[]
  readonly baselines: readonly Baseline[] | null
}): StudyBaselines {
  const names = study.baselines ?? study.config.baselines
  if (names?.length === 0) return { names, carrier: null, problem: null }
  let problem: StudyBaselines['problem'] = null
  for (const { name, config: changes } of study.variants) {
    const complete = variantConfig(study.config, changes)
    if (!complete.ok || complete.value.model.fusion_type === 'none') continue
    const carried = check(TrainingConfig, { ...complete.value, baselines: names })
    if (carried.ok) return { names, carrier: name, problem: null }
    const [issue] = carried.issues
    problem ??= { message: `${name}: ${issue?.message ?? ''}`, hint: issue?.hint ?? '' }
  }
  if (names === null) return { names, carrier: null, problem: null }
  return {
    ...{ names, carrier: null },
    problem: problem ?? {
      message: 'no variant reads the table',
      hint: 'Leave baselines out, or add a variant that reads the table.',
    },
  }
}
