import { z } from 'zod'
import { Interval } from '../../interval.js'
import { phrasesOf } from '../../phrases/phrase.js'

const Measures = z.record(z.string(), Interval).nullable().meta({
  description: 'Metrics on these cases: log_loss, brier, ece, calibration_slope, calibration_intercept',
})

/** Temperature scaling (Guo et al. 2017) and its effect on the evaluated cases. */
export const TemperatureResult = z.object({
  value: z.number().nullable().meta({
    description:
      'Temperature that divides the logits, fitted by maximum likelihood on the validation split. Null if it is not significantly different from 1 or cannot be fitted',
  }),
  low: z.number().nullable().optional().meta({
    description:
      '95% interval of the fitted temperature, even if it is not used; absent in results of older versions',
  }),
  high: z.number().nullable().optional(),
  reason: z.string().nullable().meta({ description: 'Reason why there is no temperature' }),
  reason_phrases: phrasesOf('reason'),
  applied: z.boolean().meta({ description: 'Whether the temperature is applied in the result' }),
  cases: z.int().nullable().meta({ description: 'Number of validation cases that it was fitted on' }),
  patients: z.int().nullable(),
  before: Measures,
  after: Measures,
})
export type TemperatureResult = z.infer<typeof TemperatureResult>
