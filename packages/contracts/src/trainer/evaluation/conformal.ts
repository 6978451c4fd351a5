import { z } from 'zod'
import { Interval } from '../../interval.js'
import { phrasesOf } from '../../phrases/phrase.js'

/** Split conformal prediction sets of classes, or intervals of numbers, calibrated on validation, with their coverage of the evaluated cases. */
export const ConformalResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there are no sets or intervals' }),
  reason_phrases: phrasesOf('reason'),
  alpha: z
    .number()
    .nullable()
    .meta({ description: 'Nominal share of cases whose true value is not in the set' }),
  method: z.enum(['lac', 'aps', 'absolute_error']).nullable(),
  quantile: z.number().nullable().meta({
    description:
      'Quantile of the scores on the validation split: 1 - probability, cumulative probability, or absolute error in units of the label',
  }),
  coverage: Interval.nullable().meta({
    description: 'Coverage: share of cases whose set contains the true value',
  }),
  mean_size: z.number().nullable().meta({ description: 'Mean number of classes in a set' }),
  empty: z.int().nullable().meta({ description: 'Number of cases with an empty set' }),
  single: z.int().nullable().meta({ description: 'Number of cases with exactly one class in the set' }),
  width: z.number().nullable().meta({ description: 'Width of the intervals, in units of the label' }),
  per_class: z.array(z.object({ name: z.string(), cases: z.int(), coverage: Interval })).nullable(),
})
export type ConformalResult = z.infer<typeof ConformalResult>
