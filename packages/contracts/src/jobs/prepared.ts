import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { TASKS, VolumesRead } from '../configuration/index.js'

/** Values that the trainer inferred from the data before epoch 1, reported to the user. */
export const Prepared = z
  .object({
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    positive_class: z.string().nullable().optional().meta({
      description:
        'Of two classes the one that sensitivity speaks of; absent where an older version prepared',
    }),
    label_column: z.string().nullable().meta({ description: 'Null where the label is in several columns' }),
    label_columns: z.array(z.string()).nullable().optional().meta({
      description: 'The columns of several labels; null or absent where there is one',
    }),
    patient_column: z.string().nullable(),
    split_column: z.string().nullable(),
    image_columns: z.array(z.string()),
    numeric_columns: z.array(z.string()),
    categorical_columns: z.array(z.string()),
    ignored_columns: z.record(z.string(), z.string()).meta({ description: 'column → why it is not used' }),
    splits: z.record(
      z.string(),
      z.object({
        cases: z.int(),
        patients: z.int().nullable(),
        class_counts: z
          .record(z.string(), z.int())
          .nullable()
          .meta({ description: 'Class → cases; of several labels how many are yes' }),
      }),
    ),
    missing: z
      .record(z.string(), z.object({ cases: z.int(), columns: z.record(z.string(), z.int()) }))
      .optional()
      .meta({
        description:
          'split → its cases, and column → cases without a value in the table, whatever the strategy does about them; rows that the strategy "drop" leaves out are parts of their own. Absent where an older version prepared the data',
      }),
    volumes: VolumesRead.nullable().optional().meta({
      description:
        'Volumes of which slices stand for them; null where there are none, absent where an older version prepared the data',
    }),
    members: z.int().optional().meta({
      description:
        'Networks of the table whose mean predicts (model.members); absent where an older version prepared the data',
    }),
    member_validation: z.enum(['folds', 'split']).nullable().optional().meta({
      description: 'What each of several networks chose its epoch by (data.validation); null for one network',
    }),
    linear_share: z.number().optional().meta({
      description:
        'Share of a linear model in what each of several networks predicts (model.linear_share); absent where an older version prepared the data',
    }),
    parameters: z.int().meta({ description: 'Trainable and frozen parameters of the model' }),
    trainable_parameters: z.int(),
    device: z.string(),
    mixed_precision: z.enum(['off', 'bf16', 'fp16']),
    monitor: z.string(),
    warnings: z.array(Warning),
    data_digests: z
      .record(z.string(), z.string())
      .meta({ description: 'split → sha256 of its table and images' }),
  })
  .meta({ id: 'Prepared' })
export type Prepared = z.infer<typeof Prepared>
