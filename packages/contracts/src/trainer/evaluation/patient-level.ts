import { z } from 'zod'
import { Interval } from '../../interval.js'

/** Metrics per patient instead of per row, if patients have several rows. */
export const PatientLevelResult = z.object({
  reason: z.string().nullable().meta({ description: 'Why there are none' }),
  patients: z.int().nullable(),
  with_several_rows: z.int().nullable().meta({ description: 'Patients with more than one row' }),
  disagreeing: z.int().nullable().meta({ description: 'Patients whose rows have different labels' }),
  aggregations: z.array(
    z.object({
      name: z.enum(['mean', 'max']).meta({
        description: 'mean: of the predictions of the rows; max: of the probability of the positive class',
      }),
      label: z.enum(['any', 'majority', 'mean']).optional().meta({
        description:
          'The label of a patient. any: positive when any row is; majority: the most frequent class of the rows, of equally frequent ones the one that is rarer among all rows; mean: of the numbers of the rows. Absent in results of older versions, where mean left out patients whose rows have different labels',
      }),
      patients: z.int().meta({ description: 'That were measured' }),
      metrics: z.record(z.string(), Interval),
      reason: z.string().nullable().meta({ description: 'Why nothing was measured' }),
    }),
  ),
})
export type PatientLevelResult = z.infer<typeof PatientLevelResult>
