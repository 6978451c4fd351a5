import { z } from 'zod'
import { Interval } from '../../interval.js'

const Measures = z
  .record(z.string(), Interval)
  .nullable()
  .meta({ description: 'log_loss, brier, ece, calibration_slope, calibration_intercept on these cases' })

/** Temperature scaling (Guo et al. 2017) and its effect on the evaluated cases. */
export const TemperatureResult = z.object({
  value: z.number().nullable().meta({
    description:
      'Fitted by maximum likelihood on validation; logits are divided by it. Null where it is not significantly different from 1, or cannot be fitted',
  }),
  low: z.number().nullable().optional().meta({
    description: '95 % interval of what was fitted, used or not; absent in results of older versions',
  }),
  high: z.number().nullable().optional(),
  reason: z.string().nullable().meta({ description: 'Why there is none' }),
  applied: z.boolean().meta({ description: 'Whether the rest of the result is with it' }),
  cases: z.int().nullable().meta({ description: 'Validation cases that it was fitted on' }),
  patients: z.int().nullable(),
  before: Measures,
  after: Measures,
})
export type TemperatureResult = z.infer<typeof TemperatureResult>
