import { z } from 'zod'
import { phrasesOf } from '../../phrases/phrase.js'

const counts = z.array(z.int())
const shares = z
  .object({
    estimate: z.array(z.number().nullable()),
    low: z.array(z.number().nullable()),
    high: z.array(z.number().nullable()),
  })
  .meta({ description: 'Value with its 95% interval; null if the denominator is 0' })

/**
 * Results of each threshold of a grid on the evaluated cases: all lists have one entry per threshold. The grid is the same in every result.
 * operating_points contains the thresholds selected on validation, with their rules.
 */
export const ThresholdGridResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there is no grid' }),
  reason_phrases: phrasesOf('reason'),
  grid: z
    .object({
      threshold: z.array(z.number()).meta({
        description: 'Thresholds in ascending order; a case is positive from the threshold upwards',
      }),
      true_positive: counts,
      false_positive: counts,
      false_negative: counts,
      true_negative: counts,
      sensitivity: shares,
      specificity: shares,
      ppv: shares,
      npv: shares,
      accuracy: shares,
      method: z.string().meta({ description: 'Method of the intervals' }),
    })
    .nullable(),
})
export type ThresholdGridResult = z.infer<typeof ThresholdGridResult>
