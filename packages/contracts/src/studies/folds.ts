import { z } from 'zod'
import { Fold } from '../configuration/fold.js'

const counts = {
  cases: z.int(),
  patients: z.int().nullable().meta({ description: 'Null without a patient column' }),
  class_counts: z.record(z.string(), z.int()).nullable().meta({ description: 'Null for a regression' }),
}
const trainingCases = z.int().meta({
  description:
    'Number of cases from which a training with the seed of the configuration learns; estimated for large tables',
})

/** Folds of a study as its trainings will use them, read from the tables before the first training starts. */
export const StudyFolds = z
  .object({
    digest: z.string().meta({ description: 'SHA-256 of the tables with the training and validation rows' }),
    ...counts,
    never_held_out: z.int().meta({ description: 'Number of rows without a value in the fold column' }),
    training_cases: trainingCases
      .nullable()
      .meta({ description: 'The same for a study without folds; null with folds' }),
    folds: z.array(
      z.object({
        fold: Fold.meta({ description: 'Value of data.fold for the training that holds out this fold' }),
        name: z.string().meta({ description: '"fold 2 of 5", or the value of the column' }),
        ...counts,
        training_cases: trainingCases,
      }),
    ),
  })
  .meta({ id: 'StudyFolds' })
export type StudyFolds = z.infer<typeof StudyFolds>
