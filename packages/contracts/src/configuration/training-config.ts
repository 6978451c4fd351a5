import { z } from 'zod'
import { DataConfig } from './data.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'
import { contradictions } from './rules.js'

/**
 * The training configuration: every key, its type, its range and its default, declared in data.ts, model.ts and loop.ts and nowhere
 * else. `null` as a default means "inferred from the data"; what was inferred is echoed in the job record.
 */
export const TrainingConfig = z
  .strictObject({ data: DataConfig, model: ModelConfig, training: LoopConfig })
  .superRefine((config, context) => {
    for (const { path, code, message, hint } of contradictions(config))
      context.addIssue({ code: 'custom', path: [...path], message, params: { code, hint } })
  })
  .meta({ id: 'TrainingConfig', title: 'Training configuration' })

/** What a caller writes: the six fields of the specification are enough. */
export type TrainingConfigInput = z.input<typeof TrainingConfig>
/** What the trainer receives: complete, aliases resolved. */
export type TrainingConfig = z.output<typeof TrainingConfig>
