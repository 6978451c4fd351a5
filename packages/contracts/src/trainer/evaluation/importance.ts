import { z } from 'zod'
import { phrasesOf } from '../../phrases/phrase.js'

const Drop = z.object({
  drop: z.number().meta({ description: 'Decrease in performance; negative if the metric improves' }),
  low: z.number().meta({ description: 'Lower limit of the 95% interval' }),
  high: z.number(),
})

/** Importance of the inputs for the predictions. It describes what the model uses, not what causes the outcome. */
export const Importance = z
  .object({
    metric: z
      .enum(['auc', 'mae'])
      .nullable()
      .meta({ description: 'Metric of the decrease; null if there is a reason' }),
    repeats: z.int().meta({ description: 'Number of permutations of each column' }),
    seed: z.int(),
    num_cases: z.int().meta({ description: 'Number of cases used; a sample of a large table' }),
    inputs: z
      .array(Drop.extend({ name: z.string(), kind: z.enum(['column', 'images']) }))
      .meta({ description: 'Inputs permuted between patients; largest decrease first' }),
    ablation: z
      .array(
        Drop.extend({
          without: z.enum(['images', 'table']),
          mean_change: z.number().meta({
            description:
              'Mean over the cases of the probability that changes to other classes, or of the change of the predicted number',
          }),
          changed: z.number().nullable().meta({
            description: 'Share of the cases whose predicted class changes; null for predicted numbers',
          }),
        }),
      )
      .meta({ description: 'Empty if the model reads only images or only a table' }),
    predictions: z.string().nullable().meta({
      description:
        'CSV in the folder of the result: predictions of each case without images and without the table',
    }),
    reason: z.string().nullable(),
    reason_phrases: phrasesOf('reason'),
  })
  .meta({ id: 'Importance' })
export type Importance = z.infer<typeof Importance>
