import { z } from 'zod'
import { Warning } from './codes/index.js'
import { Checkpoint } from './jobs/checkpoint.js'
import { FineTunedFrom } from './jobs/fine-tuned-from.js'
import { Timestamp } from './timestamp.js'

/** A registered checkpoint, and its evaluation on a table. */

export const Model = z
  .object({
    model_id: z.string(),
    architecture: z.string(),
    fusion_type: z.string(),
    created_at: Timestamp,
    metrics: z
      .object({ val_accuracy: z.number().nullable(), val_auc: z.number().nullable() })
      .catchall(z.number().nullable()),
    task: z.enum(['classification', 'regression']),
    classes: z.array(z.string()).nullable(),
    parameters: z.int(),
    job_id: z.uuid(),
    job_name: z.string(),
    checkpoint_path: z.string(),
    data_digests: z.record(z.string(), z.string()),
    fine_tuned_from: FineTunedFrom.nullable().meta({
      description: 'The trained model that its training started from',
    }),
    aliases: z.array(z.string()),
    evaluations: z.int().meta({ description: 'How often this model was evaluated on a test split' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof Model>

export const ModelWithCheckpoints = Model.extend({ checkpoints: z.array(Checkpoint) }).meta({
  id: 'ModelWithCheckpoints',
})
export type ModelWithCheckpoints = z.infer<typeof ModelWithCheckpoints>

export const EvaluateRequest = z
  .strictObject({
    checkpoint_path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: 'Checkpoint folder; absent: the best one' }),
    test_csv: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: "Table to evaluate on; absent: the job's test_csv" }),
    image_root: z.string().min(1).max(4096).optional().meta({
      title:
        "Folder that image paths are relative to; absent: the training's image_root, or the folder of the table",
    }),
    split: z
      .string()
      .min(1)
      .max(64)
      .default('test')
      .meta({ title: 'Rows whose split column has this value; all rows of a table without a split column' }),
    with_images: z.boolean().default(false).meta({
      title:
        'Show the failure cases with their images in the report; off by default, since a report is passed on',
    }),
  })
  .meta({ id: 'EvaluateRequest' })

/** [estimate, low, high] of a 95 % interval; null where undefined. */
export const Interval = z
  .object({
    estimate: z.number().nullable(),
    low: z.number().nullable(),
    high: z.number().nullable(),
    method: z.string().meta({ description: 'DeLong, Newcombe, Wilson, likelihood, or patient bootstrap' }),
    reason: z.string().nullable().meta({ description: 'Why a number is null' }),
    caution: z.string().nullable().optional().meta({
      description: 'Why the interval is not reliable at this size; absent in results of older versions',
    }),
  })
  .meta({ id: 'Interval' })

export const Evaluation = z
  .object({
    model_id: z.string(),
    metrics: z
      .object({
        accuracy: z.number().nullable(),
        auc: z.number().nullable(),
        f1_score: z.number().nullable(),
      })
      .catchall(z.number().nullable()),
    report_path: z.string(),
    evaluation_id: z.string(),
    split: z.string(),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    intervals: z.record(z.string(), Interval),
    predictions_path: z.string(),
    test_evaluations: z
      .int()
      .meta({ description: 'How often this model was evaluated on this split, this time included' }),
    warnings: z.array(Warning),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>
