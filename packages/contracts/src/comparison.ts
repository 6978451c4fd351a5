import { z } from 'zod'
import { Warning } from './codes/index.js'
import { TASKS } from './configuration/choices.js'
import { Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { ModelPair } from './trainer/comparison-result.js'

/** Several models on the same cases. */

export const MAX_COMPARED_MODELS = 8

export const CompareRequest = z
  .strictObject({
    models: z
      .array(z.string().min(1).max(4096))
      .min(2)
      .max(MAX_COMPARED_MODELS)
      .refine((names) => new Set(names).size === names.length, { error: 'each model once' })
      .meta({
        title: 'Model ids, aliases, or checkpoint folders of models; each is compared with the others',
      }),
    test_csv: z.string().min(1).max(4096).optional().meta({
      title: "Table that all of them are measured on; absent: the test_csv of the first model's job",
    }),
    image_root: z.string().min(1).max(4096).optional().meta({
      title: "Folder that image paths are relative to; absent: that of each model's training",
    }),
    split: z
      .string()
      .min(1)
      .max(64)
      .default('test')
      .meta({ title: 'Rows whose split column has this value; all rows of a table without a split column' }),
  })
  .meta({ id: 'CompareRequest' })

export const Comparison = z
  .object({
    comparison_id: z.string(),
    split: z.string(),
    task: z.enum(TASKS),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    models: z.array(
      z.object({
        name: z
          .string()
          .meta({ description: 'The model id, with the checkpoint where it is not the best one' }),
        model_id: z.string(),
        metrics: Metrics,
        intervals: z.record(z.string(), Interval),
        warnings: z
          .array(Warning)
          .meta({ description: 'About this model, such as cases that it has learned from' }),
        test_evaluations: z
          .int()
          .meta({ description: 'How often this model was evaluated on this split, this time included' }),
      }),
    ),
    pairs: z.array(ModelPair),
    report_path: z.string(),
    predictions_path: z.string(),
    warnings: z.array(Warning).meta({ description: 'About the comparison' }),
  })
  .meta({ id: 'Comparison' })
export type Comparison = z.infer<typeof Comparison>
