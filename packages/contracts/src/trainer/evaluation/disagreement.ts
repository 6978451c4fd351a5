import { z } from 'zod'
import { Interval } from '../../interval.js'
import { phrasesOf } from '../../phrases/phrase.js'

/**
 * Disagreement of the members of an ensemble about single cases, and its relation to the ensemble's errors. Standard deviation of the
 * members' predictions (Lakshminarayanan, Pritzel and Blundell 2017): with two classes of the probability of the positive class, with more
 * classes of the most probable one. Mutual information: entropy of the mean probabilities minus the mean of the entropies, in nats (Houlsby
 * et al. 2011; Depeweg et al. 2018). Both are in the table of predictions, case by case.
 */
export const Disagreement = z.object({
  members: z.int(),
  mean_sd: z
    .number()
    .meta({ description: 'Mean over the cases of the standard deviation between the members' }),
  mean_mutual_information: z
    .number()
    .nullable()
    .meta({ description: 'Null if the predictions are not class probabilities' }),
  measure: z
    .enum(['mutual_information', 'sd'])
    .meta({ description: 'Measure by which the cases are grouped' }),
  error: z.enum(['error_rate', 'absolute_error']).nullable().meta({
    description:
      'Error measure of the groups: error rate (several labels: share of cases with at least one wrong label), or mean absolute error',
  }),
  groups: z
    .array(
      z.object({
        low: z.number().meta({ description: 'Lowest disagreement in the group' }),
        high: z.number(),
        cases: z.int(),
        patients: z.int(),
        error: Interval,
      }),
    )
    .meta({
      description: 'Thirds of the cases, lowest disagreement first; empty if there is a reason',
    }),
  reason: z.string().nullable().meta({ description: 'Reason why there are no groups' }),
  reason_phrases: phrasesOf('reason'),
})
export type Disagreement = z.infer<typeof Disagreement>
