import { z } from 'zod'
import { OperatingRule } from '../../configuration/operating-points.js'
import { Interval } from '../../interval.js'
import { phrasesOf } from '../../phrases/phrase.js'

/** Thresholds by rule, selected on validation, with their results on the evaluated cases. */
export const OperatingPointsResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there are no operating points' }),
  reason_phrases: phrasesOf('reason'),
  points: z.array(
    z.object({
      rule: OperatingRule,
      threshold: z.number().nullable(),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Reason why no threshold could be chosen on the validation split' }),
      reason_phrases: phrasesOf('reason'),
      validation: z
        .object({ sensitivity: z.number(), specificity: z.number() })
        .nullable()
        .meta({ description: 'Metrics on the validation cases on which the threshold was chosen' }),
      metrics: z.record(z.string(), Interval).nullable().meta({
        description: 'Metrics on the evaluated cases: sensitivity, specificity, ppv, npv, accuracy',
      }),
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
