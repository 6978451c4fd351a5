import { z } from 'zod'
import { BaselineResult } from './baselines.js'
import { ErrorBody, Warning } from './codes/index.js'
import { TASKS } from './configuration/choices.js'
import { Interval } from './interval.js'
import { Checkpoint } from './jobs/checkpoint.js'
import { Ensemble } from './jobs/ensemble.js'
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
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    parameters: z.int(),
    job_id: z.uuid(),
    job_name: z.string(),
    checkpoint_path: z.string(),
    data_digests: z.record(z.string(), z.string()),
    fine_tuned_from: FineTunedFrom.nullable().meta({
      description: 'The trained model that its training started from',
    }),
    ensemble: Ensemble.optional().meta({
      description: 'Of an ensemble: the trained models that it combines. Absent of a model that was trained',
    }),
    aliases: z.array(z.string()),
    evaluations: z.int().meta({ description: 'How often this model was evaluated on a test split' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof Model>

/** Number of checkpoints in a model record; the list of checkpoints contains the others. */
export const CHECKPOINTS_SHOWN = 10

export const ModelWithCheckpoints = Model.extend({
  checkpoints: z.array(Checkpoint).meta({
    description: `The best, the last and the earliest by epoch, at most ${CHECKPOINTS_SHOWN}; /checkpoints of the model lists all`,
  }),
  num_checkpoints: z.int(),
  unreadable: ErrorBody.pick({ error: true, code: true, details: true }).nullable().meta({
    id: 'Unreadable',
    description: 'Why the checkpoints cannot be read at the moment, and what to do; null: they can',
  }),
}).meta({ id: 'ModelWithCheckpoints' })
export type ModelWithCheckpoints = z.infer<typeof ModelWithCheckpoints>

export const ImportanceRequest = z.strictObject({
  repeats: z
    .int()
    .min(2)
    .max(100)
    .default(10)
    .meta({ title: 'How often each input is exchanged between patients' }),
})

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
    calibrated: z.boolean().default(false).meta({
      title:
        'Apply the temperature that the training fitted on validation: predictions, threshold and metrics are those with it',
    }),
    with_images: z.boolean().default(false).meta({
      title:
        'Show the failure cases with their images in the report; off by default, since a report is passed on',
    }),
    with_saliency: z.boolean().default(false).meta({
      title: 'Show where the network looked beside each of these images (Grad-CAM); needs with_images',
    }),
    importance: ImportanceRequest.optional().meta({
      title:
        'Measure what the predictions rest on: each column and the images exchanged between patients, and left out; {} takes the default',
    }),
  })
  .refine(({ with_saliency, with_images }) => with_images || !with_saliency, {
    path: ['with_saliency'],
    error: 'where the network looked is shown beside the images: set with_images, too',
  })
  .meta({ id: 'EvaluateRequest' })

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
    task: z.enum(TASKS),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    intervals: z.record(z.string(), Interval),
    baselines: z
      .array(BaselineResult)
      .meta({ description: 'Simple models on the same cases; empty where the training had none' }),
    predictions_path: z.string(),
    test_evaluations: z
      .int()
      .meta({ description: 'How often this model was evaluated on this split, this time included' }),
    warnings: z.array(Warning),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>
