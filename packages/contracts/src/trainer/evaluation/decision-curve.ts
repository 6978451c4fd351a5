import { z } from 'zod'
import { phrasesOf } from '../../phrases/phrase.js'

/** Decision curve analysis (Vickers and Elkin 2006) of a binary task. */
export const DecisionCurveResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there is no decision curve' }),
  reason_phrases: phrasesOf('reason'),
  curve: z
    .object({
      thresholds: z.array(z.number()),
      model: z.array(z.number()).meta({ description: 'Net benefit per case of the model at each threshold' }),
      low: z.array(z.number().nullable()).optional().meta({
        description:
          '95% interval of the net benefit of the model at each threshold, by a bootstrap over patients; null if no replicate differs, and above `reliable_to`. Absent with too few patients, and in results of older versions',
      }),
      high: z.array(z.number().nullable()).optional(),
      interval: z
        .string()
        .optional()
        .meta({ description: 'Method of the intervals, or reason why there are no intervals' }),
      reliable_to: z.number().nullable().optional().meta({
        description:
          'Largest threshold with an interval; above it too few patients with the event are predicted positive. Null: no threshold has one. Absent in results of older versions',
      }),
      fewest_true_positives: z.int().optional().meta({
        description:
          'Minimum number of patients with the event that a threshold calls positive, for an interval',
      }),
      treat_all: z
        .array(z.number())
        .meta({ description: 'Net benefit of treating all; that of treating none is 0' }),
    })
    .nullable(),
})
export type DecisionCurveResult = z.infer<typeof DecisionCurveResult>
