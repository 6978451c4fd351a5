import { z } from 'zod'
import { TrainingConfig } from './configuration/training-config.js'
import { Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { REPORT_FORMATS } from './report-formats.js'
import { Timestamp } from './timestamp.js'
import { EvaluationResult } from './trainer/evaluation-result.js'

/** Finished evaluations, and the results of a training on its own cases in the same form. */

/** Splits used for training or selection of a model; every other split counts as a test. */
export const KNOWN_TO_TRAINING: readonly string[] = ['train', 'val']

export const EVALUATION_KINDS = ['evaluation', 'validation', 'held-out'] as const

export const EvaluationRecord = z
  .object({
    evaluation_id: z.string(),
    kind: z.enum(EVALUATION_KINDS).meta({
      description:
        'evaluation: a model on a table. validation, held-out: a training on its own cases, with the ids validation-<job_id> and held-out-<job_id>',
    }),
    model_id: z
      .string()
      .nullable()
      .meta({ description: 'Null: the job has no model, or the model was removed' }),
    job_id: z.uuid(),
    job_name: z.string(),
    created_at: Timestamp,
    split: z.string(),
    data_digest: z.string().meta({ description: 'Digest of the evaluated table and images' }),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    metrics: Metrics,
    intervals: z.record(z.string(), Interval),
    has_document: z.boolean().meta({
      description:
        'Whether the full result is stored; early versions stored only the metrics of evaluations in workflows',
    }),
    test_evaluations: z.int().nullable().meta({
      description:
        'Number of evaluations of the model on this split, including this one; null for a training',
    }),
  })
  .meta({ id: 'EvaluationRecord' })
export type EvaluationRecord = z.infer<typeof EvaluationRecord>

/** Number of evaluations that used the cases of a digest as test data. */
export const TestUses = z
  .object({
    data_digest: z.string(),
    evaluations: z
      .int()
      .meta({ description: 'Number of evaluations by any model, including comparisons and removed models' }),
    models: z
      .array(
        z.object({
          model_id: z.string(),
          split: z.string(),
          evaluations: z.int(),
          last_at: Timestamp,
        }),
      )
      .meta({ description: 'Evaluations of registered models, newest first' }),
  })
  .meta({ id: 'TestUses' })
export type TestUses = z.infer<typeof TestUses>

export const EvaluationDocument = EvaluationRecord.extend({
  result: EvaluationResult,
  config: TrainingConfig.meta({ description: 'Configuration of the training' }),
  test_uses: TestUses.nullable().meta({
    description: 'Number of evaluations on these cases as test data, by all models; null for a training',
  }),
}).meta({ id: 'EvaluationDocument' })
export type EvaluationDocument = z.infer<typeof EvaluationDocument>

export const EvaluationReportRequest = z
  .strictObject({
    formats: z
      .array(z.enum(REPORT_FORMATS))
      .min(1)
      .default(['html', 'pdf'])
      .meta({ title: 'Formats of the report' }),
  })
  .meta({ id: 'EvaluationReportRequest' })

export const EvaluationReport = z
  .object({
    evaluation_id: z.string(),
    job_id: z.uuid(),
    files: z.array(
      z.object({
        format: z.enum(REPORT_FORMATS),
        file: z.string().meta({ description: 'Path for GET /api/training/{job_id}/files/{path}' }),
        path: z.string().meta({ description: 'Path on the machine of the service' }),
      }),
    ),
  })
  .meta({ id: 'EvaluationReport' })
export type EvaluationReport = z.infer<typeof EvaluationReport>
