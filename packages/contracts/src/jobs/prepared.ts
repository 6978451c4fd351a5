import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { TASKS, VolumesRead } from '../configuration/index.js'

/** Values that the trainer inferred from the data before epoch 1, reported to the user. */
export const Prepared = z
  .object({
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    positive_class: z.string().nullable().optional().meta({
      description: 'Positive class of two classes; absent if an older version prepared the data',
    }),
    label_column: z.string().nullable().meta({ description: 'Null if there are several label columns' }),
    label_columns: z.array(z.string()).nullable().optional().meta({
      description: 'Label columns; null or absent if there is only one',
    }),
    patient_column: z.string().nullable(),
    split_column: z.string().nullable(),
    image_columns: z.array(z.string()),
    numeric_columns: z.array(z.string()),
    categorical_columns: z.array(z.string()),
    ignored_columns: z
      .record(z.string(), z.string())
      .meta({ description: 'column → reason why it is not used' }),
    splits: z.record(
      z.string(),
      z.object({
        cases: z.int(),
        patients: z.int().nullable(),
        class_counts: z.record(z.string(), z.int()).nullable().meta({
          description: 'Class → number of cases; for several labels, label → number of positive cases',
        }),
      }),
    ),
    missing: z
      .record(z.string(), z.object({ cases: z.int(), columns: z.record(z.string(), z.int()) }))
      .optional()
      .meta({
        description:
          'split → number of cases, and column → number of cases with a missing value, before the missing strategy is applied. Rows that the strategy "drop" removes are listed separately. Absent if an older version prepared the data',
      }),
    volumes: VolumesRead.nullable().optional().meta({
      description:
        'Volumes that are represented by slices; null without volumes, absent if an older version prepared the data',
    }),
    members: z.int().optional().meta({
      description:
        'Number of table networks whose predictions are averaged (model.members); absent if an older version prepared the data',
    }),
    member_validation: z.enum(['folds', 'split']).nullable().optional().meta({
      description:
        'Cases on which each of several networks chose its epoch (data.validation); null for one network',
    }),
    linear_share: z.number().optional().meta({
      description:
        'Weight of a linear model in the prediction of each of several networks (model.linear_share); absent if an older version prepared the data',
    }),
    parameters: z.int().meta({ description: 'Trainable and frozen parameters of the model' }),
    trainable_parameters: z.int(),
    device: z.string(),
    mixed_precision: z.enum(['off', 'bf16', 'fp16']),
    monitor: z.string(),
    warnings: z.array(Warning),
    data_digests: z
      .record(z.string(), z.string())
      .meta({ description: 'split → SHA-256 of its table and images' }),
  })
  .meta({ id: 'Prepared' })
export type Prepared = z.infer<typeof Prepared>
