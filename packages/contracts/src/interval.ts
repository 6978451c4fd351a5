import { z } from 'zod'
import { phrasesOf } from './phrases/phrase.js'

/** [estimate, low, high] of a 95 % interval; null if undefined. */
export const Interval = z
  .object({
    estimate: z.number().nullable(),
    low: z.number().nullable(),
    high: z.number().nullable(),
    method: z.string().meta({ description: 'DeLong, Newcombe, Wilson, likelihood, or patient bootstrap' }),
    reason: z.string().nullable().meta({ description: 'Reason why a number is null' }),
    caution: z.string().nullable().optional().meta({
      description:
        'Reason why the interval is not reliable at this sample size; absent in results of older versions',
    }),
    method_phrases: phrasesOf('method'),
    reason_phrases: phrasesOf('reason'),
    caution_phrases: phrasesOf('caution'),
  })
  .meta({ id: 'Interval' })

/** Difference of two models on the same cases. */
export const Difference = z
  .object({
    estimate: z.number().nullable(),
    low: z
      .number()
      .nullable()
      .meta({ description: 'Lower limit of the 95% interval; null without an interval' }),
    high: z.number().nullable(),
    p: z
      .number()
      .nullable()
      .meta({ description: 'Two-sided p value of the null hypothesis of no difference' }),
    method: z.string().meta({ description: 'Method of the interval' }),
    test: z.string().meta({ description: 'Test: DeLong, McNemar, or paired patient bootstrap' }),
    reason: z.string().nullable().meta({ description: 'Reason why a number is null' }),
    method_phrases: phrasesOf('method'),
    test_phrases: phrasesOf('test'),
    reason_phrases: phrasesOf('reason'),
  })
  .meta({ id: 'Difference' })
