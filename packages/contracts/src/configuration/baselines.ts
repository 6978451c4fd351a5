import { z } from 'zod'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { ABLATIONS, TABLE_BASELINES } from './choices.js'
import type { DataConfig } from './data.js'
import type { ModelConfig } from './model.js'

export const BASELINES = [...TABLE_BASELINES, ...ABLATIONS] as const
export const Baseline = z.enum(BASELINES)
export type Baseline = z.infer<typeof Baseline>

/** Key `baselines` of a training configuration. It is outside the sections, because a baseline does not change the model. */
export const Baselines = z
  .array(Baseline)
  .refine((names) => new Set(names).size === names.length, refusal(phrase('baseline_twice')))
  .nullable()
  .default(null)
  .meta({
    title:
      'Simple models that are fitted on the same cases and compared with the model. Default: for a model that reads a table, logistic_regression (for survival, cox_regression) and random_forest (for at most 20 labels); otherwise none',
  })

/** More labels would take minutes and a hundred megabytes, because each label has its own forest. */
const FORESTS = 20

/** Baselines of a configuration; inferred if it names none. */
export function chosenBaselines({
  data,
  model,
  baselines,
}: {
  readonly data: Pick<z.output<typeof DataConfig>, 'label_columns' | 'time_column'>
  readonly model: Pick<z.output<typeof ModelConfig>, 'fusion_type'>
  readonly baselines: z.output<typeof Baselines>
}): readonly Baseline[] {
  if (baselines) return baselines
  if (model.fusion_type === 'none') return []
  if (data.time_column !== null) return ['cox_regression', 'random_forest']
  const manyLabels = (data.label_columns?.length ?? 1) > FORESTS
  return manyLabels ? ['logistic_regression'] : ['logistic_regression', 'random_forest']
}
