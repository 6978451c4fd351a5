import { z } from 'zod'
import { Interval } from '../../interval.js'

/** Split conformal prediction sets of classes, or intervals of numbers, calibrated on validation, with their coverage of the evaluated cases. */
export const ConformalResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there are none' }),
  alpha: z.number().nullable().meta({ description: 'The share of truths that the sets may miss' }),
  method: z.enum(['lac', 'aps', 'absolute_error']).nullable(),
  quantile: z.number().nullable().meta({
    description:
      'Of the scores on validation: 1 - probability, cumulated probability, or absolute error in units of the label',
  }),
  coverage: Interval.nullable().meta({ description: 'Share of cases whose set holds the truth' }),
  mean_size: z.number().nullable().meta({ description: 'Classes in a set' }),
  empty: z.int().nullable().meta({ description: 'Cases whose set is empty' }),
  single: z.int().nullable().meta({ description: 'Cases whose set has one class' }),
  width: z.number().nullable().meta({ description: 'Of the intervals, in units of the label' }),
  per_class: z.array(z.object({ name: z.string(), cases: z.int(), coverage: Interval })).nullable(),
})
export type ConformalResult = z.infer<typeof ConformalResult>
