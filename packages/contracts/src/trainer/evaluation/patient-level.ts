import { z } from 'zod'
import { Interval } from '../../interval.js'
import { phrasesOf } from '../../phrases/phrase.js'

/** Metrics per patient instead of per row, if patients have several rows. */
export const PatientLevelResult = z.object({
  reason: z.string().nullable().meta({ description: 'Reason why there are no patient-level results' }),
  reason_phrases: phrasesOf('reason'),
  patients: z.int().nullable(),
  with_several_rows: z.int().nullable().meta({ description: 'Number of patients with more than one row' }),
  disagreeing: z
    .int()
    .nullable()
    .meta({ description: 'Number of patients whose rows have different labels' }),
  aggregations: z.array(
    z.object({
      name: z.enum(['mean', 'max']).meta({
        description:
          'mean: mean of the predictions of the rows. max: maximum probability of the positive class',
      }),
      label: z.enum(['any', 'majority', 'mean']).optional().meta({
        description:
          'Label of a patient. any: positive if any row is positive. majority: most frequent class of the rows; for ties, the class that is rarer among all rows. mean: mean of the numbers of the rows. Absent in results of older versions, where mean excluded patients whose rows have different labels',
      }),
      patients: z.int().meta({ description: 'Number of evaluated patients' }),
      metrics: z.record(z.string(), Interval),
      reason: z.string().nullable().meta({ description: 'Reason why nothing was evaluated' }),
    }),
  ),
})
export type PatientLevelResult = z.infer<typeof PatientLevelResult>
