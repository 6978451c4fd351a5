import { z } from 'zod'
import { Fold } from '../configuration/fold.js'

const counts = {
  cases: z.int(),
  patients: z.int().nullable().meta({ description: 'Null without a patient column' }),
  class_counts: z.record(z.string(), z.int()).nullable().meta({ description: 'Null for a regression' }),
}

/** Folds of a study as its trainings will use them, read from the tables before the first training starts. */
export const StudyFolds = z
  .object({
    digest: z.string().meta({ description: 'sha256 over the tables that name training and validation rows' }),
    ...counts,
    never_held_out: z.int().meta({ description: 'Rows that the column of the folds says nothing of' }),
    folds: z.array(
      z.object({
        fold: Fold.meta({ description: 'data.fold of the training that holds it out' }),
        name: z.string().meta({ description: '"fold 2 of 5", or the value of the column' }),
        ...counts,
      }),
    ),
  })
  .meta({ id: 'StudyFolds' })
export type StudyFolds = z.infer<typeof StudyFolds>
