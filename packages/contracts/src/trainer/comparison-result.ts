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
    .meta({ description: 'Adjusted for the pairs of models that are compared by this metric (Holm)' }),
}).meta({ id: 'ModelDifference' })
export type ModelDifference = z.infer<typeof ModelDifference>

export const ModelPair = z
  .object({
    first: z.string(),
    second: z.string(),
    differences: z.record(z.string(), ModelDifference).meta({ description: 'metric → first minus second' }),
    agreement: z
      .object({ both_right: z.int(), only_first: z.int(), only_second: z.int(), both_wrong: z.int() })
      .nullable()
      .meta({
        description: 'Cases by which of the two classifies them rightly; null: a number is predicted',
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
    num_cases: z.int().meta({ description: 'Cases that every model was measured on' }),
    num_patients: z.int().nullable(),
    class_counts: z.record(z.string(), z.int()).nullable(),
    models: z.array(
      z.object({
        name: z.string(),
        checkpoint: z.string(),
        checkpoint_digest: z.string(),
        digest: z.string().meta({ description: 'Of the table and the images as this model reads them' }),
        threshold: z.number().nullable(),
        metrics: Metrics,
        notes: z.record(z.string(), z.string()).meta({ description: 'metric → why it is null' }),
        intervals: z.record(z.string(), Interval),
        roc: z.array(z.object({ name: z.string(), curve: Curve })).nullable(),
        warnings: z.array(Warning),
      }),
    ),
    pairs: z.array(ModelPair).meta({ description: 'Each model with each that follows it' }),
    warnings: z.array(Warning).meta({ description: 'About the comparison; those of a model stand with it' }),
    predictions: z.string().meta({ description: 'CSV beside this file, a group of columns per model' }),
    software: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ComparisonResult' })
export type ComparisonResult = z.infer<typeof ComparisonResult>
