import { z } from 'zod'
import { Prepared } from '../jobs/prepared.js'

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
    views: z.int().meta({ description: 'Images of a case, as the first files of each column say' }),
    time_columns: z.array(z.string()).meta({ description: 'Of survival: time and event; else empty' }),
  })
  .meta({ id: 'PlannedData' })
export type PlannedData = z.infer<typeof PlannedData>

export const PlannedModel = z
  .object({
    parameters: z.int().meta({ description: 'Trainable and frozen, of all its networks' }),
    trainable_parameters: z.int(),
    exact: z.boolean().meta({
      description:
        'Whether the training will have exactly as many; the notes say what is not known before it',
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
    device: z.string().meta({ description: 'cpu, mps or cuda: whose memory is meant' }),
    bytes: z.int().meta({ description: 'Estimate of the most that is in use at a time' }),
    available_bytes: z
      .int()
      .nullable()
      .meta({ description: 'Of the device in all; null where that is not known' }),
    parts: z
      .object({
        process: z.int().meta({ description: 'Of the process itself and its libraries' }),
        weights: z.int(),
        gradients: z.int(),
        optimizer: z.int(),
        activations: z
          .int()
          .meta({ description: 'Kept from the forward pass of a batch for the backward one' }),
        batches: z.int().meta({ description: 'Images of the batches that are read ahead' }),
      })
      .meta({ description: 'What the sum is made of' }),
  })
  .meta({ id: 'PlannedMemory' })
export type PlannedMemory = z.infer<typeof PlannedMemory>

export const TrainingOutlook = z.object({
  issues: z
    .array(z.object({ code: z.string(), message: z.string(), details: z.string() }))
    .meta({ description: 'Errors of the catalog that the training would fail with' }),
  data: PlannedData.nullable(),
  model: PlannedModel.nullable(),
  memory: PlannedMemory.nullable(),
})
export type TrainingOutlook = z.infer<typeof TrainingOutlook>
