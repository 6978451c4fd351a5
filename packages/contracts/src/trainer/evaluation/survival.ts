import { z } from 'zod'
import { CalibrationBins } from './calibration-bins.js'

const Steps = z.object({ x: z.array(z.number()), y: z.array(z.number()) })

/** Survival results of an evaluation in addition to its metrics. Times are in the unit of the column. */
export const SurvivalResult = z.object({
  events: z.int(),
  median_follow_up: z
    .number()
    .nullable()
    .meta({ description: 'Reverse Kaplan-Meier; null: more than half had the event before' }),
  edges: z.array(z.number()).meta({ description: 'Ends of the intervals that the model predicts' }),
  tau: z.number().meta({
    description:
      "Where Uno's C and the integrated Brier score stop: the last edge at which a tenth of the training cases is not censored",
  }),
  horizons: z
    .array(z.number())
    .meta({ description: 'Times by which 25, 50 and 75 % of the training events had happened' }),
  groups: z.array(
    z.object({
      name: z.string(),
      cases: z.int(),
      events: z.int(),
      curve: Steps.meta({ description: 'Kaplan-Meier; y holds from x on' }),
      at_risk: z.array(z.int()).meta({ description: 'At each of at_risk_times' }),
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
