import { z } from 'zod'
import { Interval } from '../../interval.js'

/** Metrics over patients instead of rows, where patients have several rows. */
export const PatientLevelResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there are none' }),
  patients: z.int().nullable(),
  with_several_rows: z.int().nullable().meta({ description: 'Patients with more than one row' }),
  disagreeing: z.int().nullable().meta({ description: 'Patients whose rows have different labels' }),
  aggregations: z.array(
    z.object({
      name: z.enum(['mean', 'max']).meta({
        description:
          'mean: of the predictions of the rows, for patients whose rows have one label; max: of the probability of the positive class, a patient being positive when any row is',
      }),
      patients: z.int().meta({ description: 'That were measured' }),
      metrics: z.record(z.string(), Interval),
      reason: z.string().nullable().meta({ description: 'Why nothing was measured' }),
    }),
  ),
})
export type PatientLevelResult = z.infer<typeof PatientLevelResult>
