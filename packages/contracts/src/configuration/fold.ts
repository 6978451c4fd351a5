import { z } from 'zod'

const FOLD_COUNT = z.int().min(2).max(100)

const counted = z.strictObject({
  k: FOLD_COUNT.meta({ title: 'Number of folds' }),
  index: z.int().min(0).meta({ title: 'Index of the held-out fold, from 0' }),
  repeat: z.int().min(0).max(99).default(0).meta({ title: 'Index of the division into folds, from 0' }),
  seed: z.int().min(0).default(0).meta({ title: 'Seed of the divisions' }),
})

const named = z.strictObject({
  column: z.string().min(1).meta({ title: 'Column whose values are the folds, such as the site' }),
  value: z.string().min(1).meta({ title: 'Value whose rows are held out' }),
})

/**
 * One fold of a cross-validation, which is a separate training: its rows are held out, nothing is fitted to them or selected on them, and
 * the best checkpoint predicts them at the end.
 */
export const Fold = z.union([counted, named]).meta({ id: 'Fold' })
export type Fold = z.output<typeof Fold>

/** The split of the cases that a fold holds out from its training. */
export const HELD_OUT = 'held-out'

/** Description of a fold: "fold 2 of 5", "site = Paris". */
export function foldInWords(fold: Fold): string {
  if ('value' in fold) return `${fold.column} = ${fold.value}`
  return `fold ${fold.index + 1} of ${fold.k}${fold.repeat > 0 ? `, repeat ${fold.repeat + 1}` : ''}`
}

/** All folds of a study: each of `repeats` partitions into k parts, or each value of a column. */
export const Folds = z
  .union([
    z.strictObject({
      k: FOLD_COUNT.meta({ title: 'Number of folds' }),
      repeats: z
        .int()
        .min(1)
        .max(100)
        .default(1)
        .meta({ title: 'Number of divisions of the cases into folds' }),
      seed: z.int().min(0).default(0).meta({ title: 'Seed of the divisions' }),
    }),
    z.strictObject({
      column: z.string().min(1).meta({ title: 'Column whose values are the folds, such as the site' }),
    }),
  ])
  .meta({ id: 'Folds' })
export type Folds = z.output<typeof Folds>
