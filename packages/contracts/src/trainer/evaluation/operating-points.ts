import { z } from 'zod'
import { OperatingRule } from '../../configuration/operating-points.js'
import { Interval } from '../../interval.js'

/** Thresholds by rule, selected on validation, with their results on the evaluated cases. */
export const OperatingPointsResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there are none at all' }),
  points: z.array(
    z.object({
      rule: OperatingRule,
      threshold: z.number().nullable(),
      reason: z.string().nullable().meta({ description: 'Why validation gave no threshold' }),
      validation: z
        .object({ sensitivity: z.number(), specificity: z.number() })
        .nullable()
        .meta({ description: 'On the cases that chose it' }),
      metrics: z
        .record(z.string(), Interval)
        .nullable()
        .meta({ description: 'sensitivity, specificity, ppv, npv, accuracy on the evaluated cases' }),
      confusion: z
        .object({
          true_positive: z.int(),
          false_positive: z.int(),
          false_negative: z.int(),
          true_negative: z.int(),
        })
        .nullable(),
    }),
  ),
})
export type OperatingPointsResult = z.infer<typeof OperatingPointsResult>
