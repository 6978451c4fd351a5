import { z } from 'zod'

const Drop = z.object({
  drop: z.number().meta({ description: 'How much worse the metric becomes; below 0: it becomes better' }),
  low: z.number().meta({ description: 'Of the 95 % interval' }),
  high: z.number(),
})

/** Importance of the inputs for the predictions. It describes what the model uses, not what causes the outcome. */
export const Importance = z
  .object({
    metric: z
      .enum(['auc', 'mae'])
      .nullable()
      .meta({ description: 'Which drops; null where reason says why there are no numbers' }),
    repeats: z.int().meta({ description: 'Exchanges of each column' }),
    seed: z.int(),
    num_cases: z.int().meta({ description: 'Cases that it was measured on: a part of a large table' }),
    inputs: z
      .array(Drop.extend({ name: z.string(), kind: z.enum(['column', 'images']) }))
      .meta({ description: 'Each exchanged between patients; the largest drop first' }),
    ablation: z
      .array(
        Drop.extend({
          without: z.enum(['images', 'table']),
          mean_change: z.number().meta({
            description:
              'Mean over the cases of the probability that moves to other classes, or of the change of the number',
          }),
          changed: z
            .number()
            .nullable()
            .meta({ description: 'Share of the cases whose class changes; null: a number is predicted' }),
        }),
      )
      .meta({ description: 'Empty where the model reads images alone or a table alone' }),
    predictions: z
      .string()
      .nullable()
      .meta({ description: 'CSV beside the result: each case without images and without the table' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Importance' })
export type Importance = z.infer<typeof Importance>
