import { z } from 'zod'

/** Decision curve analysis (Vickers and Elkin 2006) of a binary task. */
export const DecisionCurveResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there is no decision curve' }),
  curve: z
    .object({
      thresholds: z.array(z.number()),
      model: z.array(z.number()).meta({ description: 'Net benefit per case of the model at each threshold' }),
      low: z.array(z.number().nullable()).optional().meta({
        description:
          '95% interval of the net benefit of the model at each threshold, by a bootstrap over patients; null if no replicate differs. Absent with too few patients, and in results of older versions',
      }),
      high: z.array(z.number().nullable()).optional(),
      interval: z
        .string()
        .optional()
        .meta({ description: 'Method of the intervals, or reason why there are no intervals' }),
      treat_all: z
        .array(z.number())
        .meta({ description: 'Net benefit of treating all; that of treating none is 0' }),
    })
    .nullable(),
})
export type DecisionCurveResult = z.infer<typeof DecisionCurveResult>
