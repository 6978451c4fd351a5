import { z } from 'zod'
import { refusal } from '../validation/refusal.js'
import { Baselines } from './baselines.js'
import { DataConfig } from './data.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'
import { ReportTexts } from './report-texts.js'
import { contradictions } from './rules.js'

const TRAINED = { data: DataConfig, model: ModelConfig, training: LoopConfig }

/**
 * The training configuration: every key, its type, its range and its default are declared in data.ts, model.ts, loop.ts, baselines.ts and
 * report-texts.ts, and nowhere else. The default `null` means "inferred from the data"; the job record contains the inferred value.
 */
export const TrainingConfig = z
  .strictObject({ ...TRAINED, baselines: Baselines, report: ReportTexts.optional() })
  .superRefine((config, context) => {
    for (const { path, code, message, hint } of contradictions(config))
      context.addIssue({ code: 'custom', path: [...path], ...refusal(message, hint, { code }) })
  })
  .meta({ id: 'TrainingConfig', title: 'Training configuration' })

/**
 * Configuration in a checkpoint: the sections that define the model. Report texts and baselines are not included, so they may change when
 * a training is resumed; the trainer receives the baselines separately.
 */
export const TrainerConfig = z.strictObject(TRAINED).meta({ id: 'TrainerConfig' })
export type TrainerConfig = z.output<typeof TrainerConfig>

export function trainerConfig({ data, model, training }: TrainingConfig): TrainerConfig {
  return { data, model, training }
}

/** Input of a caller: the six fields of the specification are sufficient. */
export type TrainingConfigInput = z.input<typeof TrainingConfig>
/** Complete configuration with resolved aliases. */
export type TrainingConfig = z.output<typeof TrainingConfig>
