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
      description: 'Trained model that the training started from',
    }),
    ensemble: Ensemble.optional().meta({
      description: 'Members of an ensemble; absent for a trained model',
    }),
    aliases: z.array(z.string()),
    evaluations: z.int().meta({ description: 'Number of evaluations of this model on a test split' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof Model>

/** Number of checkpoints in a model record; the list of checkpoints contains the others. */
export const CHECKPOINTS_SHOWN = 10

export const ModelWithCheckpoints = Model.extend({
  checkpoints: z.array(Checkpoint).meta({
    description: `The best, the last and the earliest checkpoints, at most ${CHECKPOINTS_SHOWN}; /checkpoints of the model lists all`,
  }),
  num_checkpoints: z.int(),
  unreadable: ErrorBody.pick({ error: true, code: true, details: true }).nullable().meta({
    id: 'Unreadable',
    description: 'Reason why the checkpoints cannot be read, and remedy; null: they can be read',
  }),
}).meta({ id: 'ModelWithCheckpoints' })
export type ModelWithCheckpoints = z.infer<typeof ModelWithCheckpoints>

export const ImportanceRequest = z.strictObject({
  repeats: z
    .int()
    .min(2)
    .max(100)
    .default(10)
    .meta({ title: 'Number of permutations of each input between patients' }),
})

export const EvaluateRequest = z
  .strictObject({
    checkpoint_path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: 'Checkpoint folder. Default: the best checkpoint' }),
    test_csv: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: "Table to evaluate on. Default: the job's test_csv" }),
    image_root: z.string().min(1).max(4096).optional().meta({
      title:
        "Folder that image paths are relative to. Default: the training's image_root, or the folder of the table",
    }),
    split: z.string().min(1).max(64).default('test').meta({
      title:
        'Value of the split column that selects the rows. A table without a split column is evaluated completely',
    }),
    calibrated: z.boolean().default(false).meta({
      title:
        'Apply the temperature that the training fitted on the validation split to predictions, threshold and metrics',
    }),
    with_images: z.boolean().default(false).meta({
      title:
        'Show the failure cases with their images in the report. Off by default, because reports are shared',
    }),
    with_saliency: z.boolean().default(false).meta({
      title: 'Show a saliency map (Grad-CAM) next to each of these images; requires with_images',
    }),
    importance: ImportanceRequest.optional().meta({
      title:
        'Measure input importance: permute each column and the images between patients, and exclude each modality; {} uses the defaults',
    }),
  })
  .refine(({ with_saliency, with_images }) => with_images || !with_saliency, {
    path: ['with_saliency'],
    error: 'saliency requires with_images',
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
    checkpoint_digest: z
      .string()
      .optional()
      .meta({ description: 'Digest of the evaluated weights. Absent: evaluated by an earlier version' }),
    split: z.string(),
    task: z.enum(TASKS),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    intervals: z.record(z.string(), Interval),
    baselines: z
      .array(BaselineResult)
      .meta({ description: 'Baselines on the same cases; empty if the training had none' }),
    predictions_path: z.string(),
    test_evaluations: z
      .int()
      .meta({ description: 'Number of evaluations of this model on this split, including this one' }),
    warnings: z.array(Warning),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>
