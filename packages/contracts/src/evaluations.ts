import { z } from 'zod'
import { TrainingConfig } from './configuration/training-config.js'
import { Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { REPORT_FORMATS } from './report-formats.js'
import { Timestamp } from './timestamp.js'
import { EvaluationResult } from './trainer/evaluation-result.js'

/** Finished evaluations, and the results of a training on its own cases in the same form. */

export const EVALUATION_KINDS = ['evaluation', 'validation', 'held-out'] as const

export const EvaluationRecord = z
  .object({
    evaluation_id: z.string(),
    kind: z.enum(EVALUATION_KINDS).meta({
      description:
        'evaluation: of a model on a table; validation and held-out: of a training on its own cases, with the ids validation-<job_id> and held-out-<job_id>',
    }),
    model_id: z.string().nullable().meta({ description: 'Null: the job has no model, or not any more' }),
    job_id: z.uuid(),
    job_name: z.string(),
    created_at: Timestamp,
    split: z.string(),
    data_digest: z.string().meta({ description: 'Of the table and images that were evaluated on' }),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    metrics: Metrics,
    intervals: z.record(z.string(), Interval),
    has_document: z.boolean().meta({
      description:
        'Whether it can be opened; nodes of workflows kept only the metrics of an evaluation in early versions',
    }),
    test_evaluations: z.int().nullable().meta({
      description:
        'How often the model had been evaluated on this split, that time included; null of a training',
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
      .meta({ description: 'By any model; those of removed models and of comparisons included' }),
    models: z
      .array(
        z.object({
          model_id: z.string(),
          split: z.string(),
          evaluations: z.int(),
          last_at: Timestamp,
        }),
      )
      .meta({ description: 'Of the models that are registered, the latest evaluation first' }),
  })
  .meta({ id: 'TestUses' })
export type TestUses = z.infer<typeof TestUses>

export const EvaluationDocument = EvaluationRecord.extend({
  result: EvaluationResult,
  config: TrainingConfig.meta({ description: 'Of the training' }),
  test_uses: TestUses.nullable().meta({
    description: 'Of these cases as test data, by all models; null of a training',
  }),
}).meta({ id: 'EvaluationDocument' })
export type EvaluationDocument = z.infer<typeof EvaluationDocument>

export const EvaluationReportRequest = z
  .strictObject({
    formats: z
      .array(z.enum(REPORT_FORMATS))
      .min(1)
      .default(['html', 'pdf'])
      .meta({ title: 'Formats that the report is written in' }),
  })
  .meta({ id: 'EvaluationReportRequest' })

export const EvaluationReport = z
  .object({
    evaluation_id: z.string(),
    job_id: z.uuid(),
    files: z.array(
      z.object({
        format: z.enum(REPORT_FORMATS),
        file: z.string().meta({ description: 'For GET /api/training/{job_id}/files/{path}' }),
        path: z.string().meta({ description: 'On the machine of the service' }),
      }),
    ),
  })
  .meta({ id: 'EvaluationReport' })
export type EvaluationReport = z.infer<typeof EvaluationReport>
