import { z } from 'zod'
import { CalibrationBins } from './calibration-bins.js'

const Steps = z.object({ x: z.array(z.number()), y: z.array(z.number()) })

/** Survival results of an evaluation in addition to its metrics. Times are in the unit of the column. */
export const SurvivalResult = z.object({
  events: z.int(),
  median_follow_up: z
    .number()
    .nullable()
    .meta({ description: 'Median follow-up by reverse Kaplan-Meier; null if the median is not reached' }),
  edges: z.array(z.number()).meta({ description: 'Ends of the time intervals of the model' }),
  tau: z.number().meta({
    description:
      "Upper time limit of Uno's C and the integrated Brier score: the last edge at which at least a tenth of the training cases is uncensored",
  }),
  horizons: z
    .array(z.number())
    .meta({ description: 'Times by which 25, 50 and 75% of the training events had occurred' }),
  groups: z.array(
    z.object({
      name: z.string(),
      cases: z.int(),
      events: z.int(),
      curve: Steps.meta({ description: 'Kaplan-Meier curve; y is constant from x to the next point' }),
      at_risk: z.array(z.int()).meta({ description: 'Number at risk at each of at_risk_times' }),
    }),
  ),
  at_risk_times: z.array(z.number()),
  calibration: z.array(
    z.object({
      horizon: z.number(),
      bins: CalibrationBins,
    }),
  ),
})
export type SurvivalResult = z.infer<typeof SurvivalResult>
