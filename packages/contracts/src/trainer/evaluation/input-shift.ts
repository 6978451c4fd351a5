import { z } from 'zod'
import { Metrics } from '../../jobs/metrics.js'
import { phrasesOf } from '../../phrases/phrase.js'

const Moments = z.object({ mean: z.number(), sd: z.number() })
const smd = z
  .number()
  .nullable()
  .meta({ description: 'Absolute standardized mean difference; null if there is a reason' })

/** Size above which a model that adjusts for the input extrapolates (Rubin 2001, Stuart 2010). */
export const LARGE_SHIFT = 0.25

const ShiftedInput = z.preprocess(
  withVerdict,
  z.object({
    name: z.string(),
    kind: z.enum(['numeric', 'categorical', 'image']),
    smd,
    chance: z.number().nullable().meta({
      description: 'Value that about 5% of samples of this size exceed without any shift; null without smd',
    }),
    trained: Moments.nullable().meta({
      description: 'Statistics of numbers, and of the mean intensity of an image',
    }),
    evaluated: Moments.nullable(),
    unseen: z.int().nullable().meta({
      description: 'Number of cases with a category that is not in the training data; null for other inputs',
    }),
    missing_trained: z.number().nullable().meta({ description: 'Share of cases with a missing value' }),
    missing: z.number(),
    differs: z.boolean().meta({
      description:
        'Whether the input differs clearly from the training data: smd above 0.25 and above the chance level, or no common category',
    }),
    reason: z.string().nullable(),
    reason_phrases: phrasesOf('reason'),
  }),
)

/** Results of older versions lack the verdict; it is the one that their pages showed. */
function withVerdict(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || 'differs' in input) return input
  const { smd, chance, unseen } = input as {
    readonly smd?: number | null
    readonly chance?: number | null
    readonly unseen?: number | null
  }
  const differs = typeof smd === 'number' ? smd > Math.max(LARGE_SHIFT, chance ?? 0) : (unseen ?? 0) > 0
  return { ...input, differs }
}

/** Differences between the evaluated cases and the training cases, as effect sizes that identify nobody. */
export const InputShift = z
  .object({
    cases_trained: z.int(),
    inputs: z.array(ShiftedInput).meta({ description: 'Largest difference first' }),
    outcome: z
      .object({
        smd,
        classes: z
          .array(z.object({ name: z.string(), trained: z.number(), evaluated: z.number() }))
          .nullable()
          .meta({ description: 'Class proportions' }),
        trained: Moments.nullable().meta({ description: 'Statistics of the predicted number' }),
        evaluated: Moments.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'InputShift' })
export type InputShift = z.infer<typeof InputShift>

/** Metrics after the predictions were recalibrated on the evaluated cases themselves: optimistic, and not a result of the model. */
export const Recalibration = z
  .object({
    reason: z.string().nullable().meta({ description: 'Reason why there are no updates' }),
    reason_phrases: phrasesOf('reason'),
    original: Metrics,
    updates: z.array(
      z.object({
        name: z.enum(['intercept', 'intercept_and_slope']),
        intercept: z.number(),
        slope: z
          .number()
          .meta({ description: 'Slope for the logit of the probability, or for the predicted number' }),
        metrics: Metrics,
      }),
    ),
  })
  .meta({ id: 'Recalibration' })
export type Recalibration = z.infer<typeof Recalibration>
