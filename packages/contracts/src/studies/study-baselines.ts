import type { Baseline } from '../configuration/baselines.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { type Phrase, phrase } from '../phrases/index.js'
import { check } from '../validation/check.js'
import type { StudyVariant } from './study-variant.js'
import { variantConfig } from './variants.js'

export interface StudyBaselines {
  /** Like the key `baselines` of a training: null is inferred. */
  readonly names: readonly Baseline[] | null
  /** Variant whose trainings fit the baselines, once for each seed and fold; null: there are none, or no variant can fit them. */
  readonly carrier: string | null
  /** Reason why no variant can fit the named baselines. */
  readonly problem: { readonly message: Phrase; readonly hint: Phrase | undefined } | null
}

/** Baselines of a study, fitted by the first variant that reads the same inputs. */
export function studyBaselines(study: {
  readonly config: TrainingConfig
  readonly variants: readonly StudyVariant[]
  readonly baselines: readonly Baseline[] | null
}): StudyBaselines {
  const names = study.baselines ?? study.config.baselines
  if (names?.length === 0) return { names, carrier: null, problem: null }
  let problem: StudyBaselines['problem'] = null
  let isIncomplete = false
  for (const { name, config: changes } of study.variants) {
    const complete = variantConfig(study.config, changes)
    if (!complete.ok) isIncomplete = true
    if (!complete.ok || complete.value.model.fusion_type === 'none') continue
    const carried = check(TrainingConfig, { ...complete.value, baselines: names })
    if (carried.ok) return { names, carrier: name, problem: null }
    const [issue] = carried.issues
    problem ??= {
      message: phrase('at_variant', { name, message: issue?.message_phrases ?? issue?.message ?? '' }),
      hint: issue?.hint_phrases?.[0],
    }
  }
  // A variant with other problems may fit them once it is corrected.
  if (names === null || isIncomplete) return { names, carrier: null, problem: null }
  const noTable = { message: phrase('no_variant_reads_table'), hint: phrase('no_baselines_or_table') }
  return { names, carrier: null, problem: problem ?? noTable }
}
