import { z } from 'zod'

const counts = z.array(z.int())
const shares = z
  .object({
    estimate: z.array(z.number().nullable()),
    low: z.array(z.number().nullable()),
    high: z.array(z.number().nullable()),
  })
  .meta({ description: 'With its 95 % interval; null where no case is counted' })

/**
 * Results of each threshold of a grid on the evaluated cases: all lists have one entry per threshold. The grid is the same in every result.
 * operating_points contains the thresholds selected on validation, with their rules.
 */
export const ThresholdGridResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there is no grid' }),
  grid: z
    .object({
      threshold: z.array(z.number()).meta({ description: 'A case is positive from there on; ascending' }),
      true_positive: counts,
      false_positive: counts,
      false_negative: counts,
      true_negative: counts,
      sensitivity: shares,
      specificity: shares,
      ppv: shares,
      npv: shares,
      accuracy: shares,
      method: z.string().meta({ description: 'Of the intervals' }),
    })
    .nullable(),
})
export type ThresholdGridResult = z.infer<typeof ThresholdGridResult>
