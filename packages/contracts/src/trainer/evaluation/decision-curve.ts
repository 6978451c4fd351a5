import { z } from 'zod'

/** Decision curve analysis (Vickers and Elkin 2006) of a binary task. */
export const DecisionCurveResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there is none' }),
  curve: z
    .object({
      thresholds: z.array(z.number()),
      model: z.array(z.number()).meta({ description: 'Net benefit per case at each threshold' }),
      treat_all: z.array(z.number()).meta({ description: 'That of treating nobody is 0' }),
    })
    .nullable(),
})
export type DecisionCurveResult = z.infer<typeof DecisionCurveResult>
