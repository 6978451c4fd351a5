import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { TASKS } from '../configuration/choices.js'
import { Difference, Interval } from '../interval.js'
import { Metrics } from '../jobs/metrics.js'
import { RUN_SCHEMA_VERSION } from './spec.js'

/** First model minus second, on the same cases. */
export const ModelDifference = Difference.extend({
  p_holm: z
    .number()
    .nullable()
    .meta({ description: 'p value with Holm correction for the pairs of models compared by this metric' }),
}).meta({ id: 'ModelDifference' })
export type ModelDifference = z.infer<typeof ModelDifference>

export const ModelPair = z
  .object({
    first: z.string(),
    second: z.string(),
    differences: z
      .record(z.string(), ModelDifference)
      .meta({ description: 'metric → first model minus second model' }),
    agreement: z
      .object({ both_right: z.int(), only_first: z.int(), only_second: z.int(), both_wrong: z.int() })
      .nullable()
      .meta({
        description: 'Numbers of cases by which of the two models is correct; null for predicted numbers',
      }),
  })
  .meta({ id: 'ModelPair' })
export type ModelPair = z.infer<typeof ModelPair>

const Curve = z.object({ x: z.array(z.number()), y: z.array(z.number()) })

/** comparisons/<id>/comparison.json: several models on the same cases. */
export const ComparisonResult = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    split: z.string(),
    csv: z.string(),
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    positive_class: z.string().nullable(),
    num_cases: z.int().meta({ description: 'Number of cases on which all models were evaluated' }),
    num_patients: z.int().nullable(),
    class_counts: z.record(z.string(), z.int()).nullable(),
    models: z.array(
      z.object({
        name: z.string(),
        checkpoint: z.string(),
        checkpoint_digest: z.string(),
        digest: z
          .string()
          .meta({ description: 'Digest of the table and the images as this model reads them' }),
        threshold: z.number().nullable(),
        threshold_reason: z.string().nullable().optional().meta({
          description:
            'Reason why no threshold could be chosen on the validation split of this model; null if it was chosen. Absent in results of older versions',
        }),
        metrics: Metrics,
        notes: z
          .record(z.string(), z.string())
          .meta({ description: 'metric → reason why its value is null' }),
        intervals: z.record(z.string(), Interval),
        roc: z.array(z.object({ name: z.string(), curve: Curve })).nullable(),
        warnings: z.array(Warning),
      }),
    ),
    pairs: z.array(ModelPair).meta({ description: 'Each model with each subsequent model' }),
    warnings: z.array(Warning).meta({
      description: 'Warnings about the comparison; warnings about a model are listed with the model',
    }),
    predictions: z
      .string()
      .meta({ description: 'CSV in the same folder, with a group of columns per model' }),
    software: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ComparisonResult' })
export type ComparisonResult = z.infer<typeof ComparisonResult>
