import { z } from 'zod'
import { AGREEMENTS } from './agreements.js'
import { Warning } from './codes/index.js'
import { TASKS } from './configuration/choices.js'
import { Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { phrase } from './phrases/index.js'
import { Timestamp } from './timestamp.js'
import { ComparisonResult, ModelPair } from './trainer/comparison-result.js'
import { refusal } from './validation/refusal.js'

/** Several models on the same cases. */

export const MAX_COMPARED_MODELS = 8

export const CompareRequest = z
  .strictObject({
    models: z
      .array(z.string().min(1).max(4096))
      .min(2)
      .max(MAX_COMPARED_MODELS)
      .refine((names) => new Set(names).size === names.length, refusal(phrase('model_twice')))
      .meta({
        title: 'Model ids, aliases, or checkpoint folders of models; each is compared with the others',
      }),
    test_csv: z.string().min(1).max(4096).optional().meta({
      title: "Table on which all models are evaluated. Default: the test_csv of the first model's job",
    }),
    image_root: z.string().min(1).max(4096).optional().meta({
      title: "Folder that image paths are relative to. Default: that of each model's training",
    }),
    split: z.string().min(1).max(64).default('test').meta({
      title:
        'Value of the split column that selects the rows. A table without a split column is evaluated completely',
    }),
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
        name: z.string().meta({ description: 'Model id, with the checkpoint if it is not the best one' }),
        model_id: z.string(),
        metrics: Metrics,
        intervals: z.record(z.string(), Interval),
        warnings: z.array(Warning).meta({
          description: 'Warnings about this model, such as evaluated cases that it has learned from',
        }),
        test_evaluations: z
          .int()
          .meta({ description: 'Number of evaluations of this model on this split, including this one' }),
      }),
    ),
    pairs: z.array(ModelPair),
    report_path: z.string(),
    predictions_path: z.string(),
    warnings: z.array(Warning).meta({ description: 'Warnings about the comparison' }),
  })
  .meta({ id: 'Comparison' })
export type Comparison = z.infer<typeof Comparison>

/** A finished comparison, as its files contain it. */
export const ComparisonDocument = z
  .object({
    comparison_id: z.string(),
    created_at: Timestamp,
    models: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the model in the result' }),
          model_id: z.string(),
          job_id: z.uuid(),
          job_name: z.string(),
          test_evaluations: z
            .int()
            .meta({ description: 'Number of evaluations of the model on this split, including this one' }),
        }),
      )
      .meta({ description: 'Models that are still registered' }),
    result: ComparisonResult,
  })
  .meta({ id: 'ComparisonDocument' })
export type ComparisonDocument = z.infer<typeof ComparisonDocument>

const Judgment = z.object({
  predicted: z.string().nullable(),
  correct: z.boolean().nullable(),
  probabilities: z.record(z.string(), z.number()).meta({ description: 'Probability of each class or label' }),
  confidence: z.number().nullable(),
  risk: z.number().nullable(),
  loss: z.number().nullable(),
})

/** Predictions of two models for one case. */
export const ComparedCase = z
  .object({
    row: z.int().meta({ description: 'Line number in the file; the header is line 1' }),
    file: z.string().nullable(),
    split: z.string(),
    truth: z.string(),
    groups: z.record(z.string(), z.string()),
    patient: z.string().nullable().meta({ description: 'Null unless the request sets identifiers' }),
    first: Judgment,
    second: Judgment,
  })
  .meta({ id: 'ComparedCase' })
export type ComparedCase = z.infer<typeof ComparedCase>

/** Query fields that filter and sort the cases of a pair of models. */
export const comparedCaseQuery = {
  first: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: 'Name of the first model. Default: the first in the comparison' }),
  second: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: 'Name of the second model. Default: the second in the comparison' }),
  agreement: z.enum(AGREEMENTS).optional().meta({
    description:
      'Which of the two models is correct. Default: all cases. Not available for predicted numbers',
  }),
  truth: z.string().max(500).optional().meta({ description: 'True class, or a label that the case has' }),
  order_by: z.enum(['row', 'difference']).default('row').meta({
    description: 'difference: the loss of the first minus that of the second',
  }),
  order: z.enum(['asc', 'desc']).default('asc'),
  identifiers: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: include the patient id of the patient column' }),
}

const ComparedCaseQuery = z.object(comparedCaseQuery)
export type ComparedCaseQuery = z.output<typeof ComparedCaseQuery>
