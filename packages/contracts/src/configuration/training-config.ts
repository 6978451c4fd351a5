import { z } from 'zod'
import { Baselines } from './baselines.js'
import { DataConfig } from './data.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'
import { ReportTexts } from './report-texts.js'
import { contradictions } from './rules.js'

const TRAINED = { data: DataConfig, model: ModelConfig, training: LoopConfig }

/**
 * The training configuration: every key, its type, its range and its default, declared in data.ts, model.ts, loop.ts,
 * baselines.ts and report-texts.ts and nowhere else. `null` as a default means "inferred from the data"; what was inferred is echoed in the job record.
 */
export const TrainingConfig = z
  .strictObject({ ...TRAINED, baselines: Baselines, report: ReportTexts.optional() })
  .superRefine((config, context) => {
    for (const { path, code, message, hint } of contradictions(config))
      context.addIssue({ code: 'custom', path: [...path], message, params: { code, hint } })
  })
  .meta({ id: 'TrainingConfig', title: 'Training configuration' })

/**
 * What a checkpoint holds: the sections that make the model. Texts of reports and baselines are no part of it, so they may change when a
 * training is resumed; the trainer receives its baselines beside it.
 */
export const TrainerConfig = z.strictObject(TRAINED).meta({ id: 'TrainerConfig' })
export type TrainerConfig = z.output<typeof TrainerConfig>

export function trainerConfig({ data, model, training }: TrainingConfig): TrainerConfig {
  return { data, model, training }
}

/** What a caller writes: the six fields of the specification are enough. */
export type TrainingConfigInput = z.input<typeof TrainingConfig>
/** Complete, aliases resolved. */
export type TrainingConfig = z.output<typeof TrainingConfig>
