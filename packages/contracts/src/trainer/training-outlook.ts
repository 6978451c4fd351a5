import { z } from 'zod'
import { Prepared } from '../jobs/prepared.js'
import { phrasesOf } from '../phrases/phrase.js'

/** Expected inputs and network of a training, based on its tables: the result of the task `check_training`. */

export const PlannedData = Prepared.pick({
  task: true,
  classes: true,
  positive_class: true,
  label_column: true,
  label_columns: true,
  patient_column: true,
  split_column: true,
  image_columns: true,
  numeric_columns: true,
  categorical_columns: true,
  ignored_columns: true,
  splits: true,
  warnings: true,
})
  .extend({
    views: z.int().meta({ description: 'Images per case, from the first files of each column' }),
    time_columns: z
      .array(z.string())
      .meta({ description: 'Survival: time and event columns; otherwise empty' }),
  })
  .meta({ id: 'PlannedData' })
export type PlannedData = z.infer<typeof PlannedData>

export const PlannedModel = z
  .object({
    parameters: z.int().meta({ description: 'Trainable and frozen parameters of all networks' }),
    trainable_parameters: z.int(),
    exact: z.boolean().meta({
      description:
        'Whether the number is exact; otherwise the notes list what is not known before the training',
    }),
    notes: z.array(z.string()),
    parts: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        parameters: z.int().nullable().meta({ description: 'Null: not known before the training' }),
        trainable_parameters: z.int().nullable(),
      }),
    ),
  })
  .meta({ id: 'PlannedModel' })
export type PlannedModel = z.infer<typeof PlannedModel>

export const PlannedMemory = z
  .object({
    device: z.string().meta({ description: 'Device of the memory: cpu, mps or cuda' }),
    bytes: z.int().meta({ description: 'Estimated peak memory' }),
    available_bytes: z.int().nullable().meta({ description: 'Total memory of the device; null if unknown' }),
    parts: z
      .object({
        process: z.int().meta({ description: 'Memory of the process and its libraries' }),
        weights: z.int(),
        gradients: z.int(),
        optimizer: z.int(),
        activations: z
          .int()
          .meta({ description: 'Activations that the forward pass of a batch stores for the backward pass' }),
        batches: z.int().meta({ description: 'Images of prefetched batches' }),
      })
      .meta({ description: 'Components of the sum' }),
  })
  .meta({ id: 'PlannedMemory' })
export type PlannedMemory = z.infer<typeof PlannedMemory>

export const TrainingOutlook = z.object({
  issues: z
    .array(
      z.object({
        code: z.string(),
        message: z.string(),
        message_phrases: phrasesOf('message'),
        details: z.string(),
        details_phrases: phrasesOf('details'),
      }),
    )
    .meta({ description: 'Errors with which the training would fail' }),
  data: PlannedData.nullable(),
  model: PlannedModel.nullable(),
  memory: PlannedMemory.nullable(),
})
export type TrainingOutlook = z.infer<typeof TrainingOutlook>
