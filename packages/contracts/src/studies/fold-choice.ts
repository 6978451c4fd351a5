import { z } from 'zod'
import type { Fold, Folds } from '../configuration/fold.js'

/** Held-out cases of the trainings of a study: each of k parts of the patients, or each value of a column (a site). */
export const FoldChoice = z
  .strictObject({
    k: z
      .int()
      .min(2)
      .max(100)
      .optional()
      .meta({ title: 'Number of cross-validation folds, split by patient and stratified' }),
    repeats: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ title: 'Number of repeated divisions into folds. Default: 1' }),
    seed: z
      .int()
      .min(0)
      .max(4_294_967_295)
      .optional()
      .meta({ title: 'Seed of the divisions into folds. Default: 0' }),
    column: z.string().min(1).max(500).optional().meta({
      title: 'Column whose values are held out in turn, such as the site',
    }),
    values: z
      .array(z.string().min(1).max(500))
      .min(1)
      .max(100)
      .optional()
      .meta({ title: 'Values of the column to hold out. Default: all values' }),
  })
  .meta({ id: 'FoldChoice', description: 'Either k (with repeats and seed) or column (with values)' })
export type FoldChoice = z.output<typeof FoldChoice>

/** Folds requested from the tables. */
export function requestedFolds({ k, repeats = 1, seed = 0, column = '' }: FoldChoice): Folds {
  return k === undefined ? { column } : { k, repeats, seed }
}

/** Number of folds of a study; null: the tables determine it. */
export function foldCount(choice: FoldChoice | null): number | null {
  if (choice === null) return 1
  if (choice.k === undefined) return choice.values?.length ?? null
  return choice.k * (choice.repeats ?? 1)
}

/** Short reference to the held-out fold of a training: repeat and index, or the value of the column. */
export interface FoldPlace {
  readonly repeat: number | null
  readonly fold: number | string | null
}

export function foldPlace(fold: Fold | null): FoldPlace {
  if (fold === null) return { repeat: null, fold: null }
  return 'value' in fold ? { repeat: null, fold: fold.value } : { repeat: fold.repeat, fold: fold.index }
}
