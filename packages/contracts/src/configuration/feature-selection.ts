import { z } from 'zod'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { SELECTION_METHODS } from './choices.js'

/** Selection of the table columns for the model, based only on the training split. */
export const FeatureSelection = z
  .strictObject({
    method: z.enum(SELECTION_METHODS).default('none').meta({ title: 'Method' }),
    keep: z.int().min(1).max(10_000).nullable().default(null).meta({ title: 'Number of columns to keep' }),
  })
  .superRefine(({ method, keep }, context) => {
    const ranks = method === 'univariate' || method === 'mutual_information'
    if (ranks === (keep !== null)) return
    context.addIssue({
      code: 'custom',
      path: ['keep'],
      ...refusal(
        phrase(ranks ? 'selection_needs_number' : 'selection_without_number', { method }),
        phrase(ranks ? 'set_keep' : 'keep_null'),
      ),
    })
  })
  .prefault({})
