import { z } from 'zod'
import { ABLATIONS, TABLE_BASELINES } from './choices.js'
import type { DataConfig } from './data.js'
import type { ModelConfig } from './model.js'

export const BASELINES = [...TABLE_BASELINES, ...ABLATIONS] as const
export const Baseline = z.enum(BASELINES)
export type Baseline = z.infer<typeof Baseline>

/** Key `baselines` of a training configuration: it stands beside the sections, because no baseline changes the model. */
export const Baselines = z
  .array(Baseline)
  .refine((names) => new Set(names).size === names.length, { error: 'each baseline once' })
  .nullable()
  .default(null)
  .meta({
    title:
      'Simple models on the same cases, fitted in the job and shown beside the model; absent: logistic_regression and random_forest where the model reads a table and predicts one label, none otherwise',
  })

/** The baselines of a configuration, those that are inferred where it names none. */
export function chosenBaselines({
  data,
  model,
  baselines,
}: {
  readonly data: Pick<z.output<typeof DataConfig>, 'label_columns'>
  readonly model: Pick<z.output<typeof ModelConfig>, 'fusion_type'>
  readonly baselines: z.output<typeof Baselines>
}): readonly Baseline[] {
  if (baselines) return baselines
  // Those of the table are fitted to one label.
  const none = model.fusion_type === 'none' || data.label_columns !== null
  return none ? [] : ['logistic_regression', 'random_forest']
}
