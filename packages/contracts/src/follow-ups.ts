import { z } from 'zod'
import { Interval } from './interval.js'
import { Metrics } from './jobs/metrics.js'
import { owner } from './people/users.js'
import { phrasesOf } from './phrases/phrase.js'
import { Timestamp } from './timestamp.js'
import { Recalibration } from './trainer/evaluation/input-shift.js'
import { Subgroups } from './trainer/evaluation/subgroups.js'
import { EvaluationResult } from './trainer/evaluation-result.js'

/** Follow-ups: predictions that are collected from now on, and their outcomes, which arrive later. */

const column = z.string().min(1).max(500)

export const CreateFollowUp = z
  .strictObject({
    name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
    model: z.string().min(1).max(200).meta({ title: 'Model id, or an alias of the model' }),
    id_column: column.optional().meta({
      title:
        'Column with the id of each case. Default: the id column of the request, or the patient column of the training',
    }),
    silent: z.boolean().default(false).meta({
      title: 'Hide the predictions of the model, and the results, until the follow-up is closed',
    }),
    window_days: z.int().min(1).max(3660).default(30).meta({ title: 'Length of a time window in days' }),
  })
  .meta({ id: 'CreateFollowUp' })
export type CreateFollowUp = z.output<typeof CreateFollowUp>

export const FollowUp = z
  .object({
    follow_up_id: z.uuid(),
    name: z.string(),
    model_id: z.string(),
    id_column: z.string().nullable(),
    silent: z.boolean(),
    window_days: z.int(),
    owner,
    created_at: Timestamp,
    closed_at: Timestamp.nullable().meta({ description: 'Null: predictions are collected' }),
    evaluations: z.int().meta({ description: 'Number of evaluations so far' }),
  })
  .meta({ id: 'FollowUp' })
export type FollowUp = z.infer<typeof FollowUp>

export const FollowUpCoverage = z
  .object({
    predicted: z.int().meta({ description: 'Number of collected cases; each id counts once' }),
    with_outcome: z.int(),
    waiting: z.int().meta({ description: 'Number of collected cases without an outcome' }),
    repeated: z.int().meta({
      description: 'Number of further predictions of a collected case; only the first prediction counts',
    }),
    without_id: z
      .int()
      .meta({ description: 'Number of predicted cases without an id; they are not collected' }),
    failed: z.int().meta({ description: 'Number of cases without a prediction' }),
    windows: z.array(
      z.object({
        window: z.int().meta({ description: 'Number of the window, from 1' }),
        start: Timestamp,
        end: Timestamp,
        predicted: z.int(),
        with_outcome: z.int(),
      }),
    ),
  })
  .meta({ id: 'FollowUpCoverage' })
export type FollowUpCoverage = z.infer<typeof FollowUpCoverage>

export const FollowUpWithCoverage = FollowUp.extend({ coverage: FollowUpCoverage }).meta({
  id: 'FollowUpWithCoverage',
})
export type FollowUpWithCoverage = z.infer<typeof FollowUpWithCoverage>

export const FollowUpOutcomes = z
  .strictObject({
    path: z.string().min(1).max(4096).meta({ title: 'Table of outcomes' }),
    id_column: column.meta({ title: 'Column with the ids of the cases, as in the requests for predictions' }),
    label_columns: z.array(column).min(1).max(1000).optional().meta({
      title: 'Columns with the outcomes. Default: the label columns of the training',
    }),
    replace: z.boolean().default(false).meta({ title: 'Replace stored outcomes that differ' }),
  })
  .meta({ id: 'FollowUpOutcomes' })
export type FollowUpOutcomes = z.output<typeof FollowUpOutcomes>

export const FollowUpOutcomesAdded = z
  .object({
    rows: z.int().meta({ description: 'Number of rows of the table' }),
    unknown: z
      .int()
      .meta({ description: 'Number of rows with an id that was not collected; they are not stored' }),
    without_outcome: z.int().meta({ description: 'Number of rows of collected cases without an outcome' }),
    added: z.int(),
    replaced: z.int(),
    unchanged: z.int(),
    coverage: FollowUpCoverage,
  })
  .meta({ id: 'FollowUpOutcomesAdded' })
export type FollowUpOutcomesAdded = z.infer<typeof FollowUpOutcomesAdded>

export const FOLLOW_UP_SERIES = [
  'numeric',
  'categorical',
  'missing',
  'image',
  'calibration_level',
  'calibration_slope',
] as const

/** One input, or one property of the calibration, in each window. */
const FollowUpSeries = z
  .object({
    name: z.string().nullable().meta({ description: 'Column; null for images and calibration' }),
    kind: z.enum(FOLLOW_UP_SERIES).meta({
      description:
        'numeric: standardized mean difference from the training; categorical: population stability index; missing: share of missing values; image: share of cases whose images are unlike the training images; calibration_level, calibration_slope: only the test against the test cases of the development',
    }),
    trained: z.number().nullable().meta({ description: 'The value in the development, if it has one' }),
    reason: z.string().nullable().meta({ description: 'Reason why there are no windows' }),
    reason_phrases: phrasesOf('reason'),
    windows: z.array(
      z.object({
        window: z.int(),
        value: z.number().nullable(),
        p: z.number().nullable().meta({ description: 'P value of the hypothesis that nothing has changed' }),
        p_holm: z.number().nullable().meta({ description: 'Adjusted for all tests of this evaluation' }),
        alarm: z.boolean(),
        reason: z.string().nullable().meta({ description: 'Reason why the window has no value' }),
        reason_phrases: phrasesOf('reason'),
      }),
    ),
  })
  .meta({ id: 'FollowUpSeries' })
export type FollowUpSeries = z.infer<typeof FollowUpSeries>

/** A suggested update, which is not applied: fitted to the cases on which it is measured, and therefore optimistic. */
const FollowUpUpdate = Recalibration.extend({
  updates: z.array(
    Recalibration.shape.updates.element.extend({
      intercept_interval: Interval.nullable().meta({
        description: 'Interval of the intercept with slope 1; null for other updates',
      }),
      slope_interval: Interval.nullable().meta({
        description: 'Interval of the slope; null for other updates',
      }),
    }),
  ),
}).meta({ id: 'FollowUpUpdate' })

/** The newest evaluation of the model on test cases. */
const Development = z
  .object({
    evaluation_id: z.string(),
    split: z.string(),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    metrics: Metrics,
    intervals: z.record(z.string(), Interval),
  })
  .meta({ id: 'FollowUpDevelopment' })

const Evaluated = z.object({
  coverage: FollowUpCoverage,
  other_checkpoint: z.int().meta({
    description: 'Number of collected predictions of another checkpoint of the model; they are not evaluated',
  }),
  reason: z.string().nullable().meta({ description: 'Reason why there is no result' }),
  reason_phrases: phrasesOf('reason'),
  result: EvaluationResult.nullable().meta({ description: 'All windows together' }),
  windows: Subgroups.meta({ description: 'Windows with outcomes; group is the number of the window' }),
  alpha: z.number().meta({
    description: 'Probability of one or more false alarms in this evaluation if nothing has changed, at most',
  }),
  tests: z.int().meta({ description: 'Number of tests that the alarms are adjusted for' }),
  series: z.array(FollowUpSeries),
  update: FollowUpUpdate.nullable().meta({
    description: 'Null: no result, or neither two classes nor a number',
  }),
})

export const FollowUpEvaluation = Evaluated.extend({
  follow_up_id: z.uuid(),
  model_id: z.string(),
  evaluated_at: Timestamp,
  evaluations: z.int().meta({ description: 'Number of evaluations of this follow-up, including this one' }),
  development: Development.nullable().meta({
    description: 'Null: the model was never evaluated on test cases',
  }),
}).meta({ id: 'FollowUpEvaluation' })
export type FollowUpEvaluation = z.infer<typeof FollowUpEvaluation>

const place = {
  folder: z.string().meta({ description: 'Absolute path of the folder of the follow-up' }),
  started_at: Timestamp,
  window_days: z.int(),
}
const model = {
  checkpoint: z.string().meta({ description: 'Absolute path of the checkpoint folder' }),
  data_dir: z
    .string()
    .meta({ description: 'Absolute path; a checkpoint must be in this folder or in the roots' }),
  roots: z.array(z.string()),
}

export const FOLLOW_UP_TASKS = {
  follow_up_coverage: { params: z.strictObject(place), result: FollowUpCoverage },
  follow_up_outcomes: {
    params: z.strictObject({
      ...place,
      ...model,
      path: z.string().meta({ description: 'Absolute path of the table' }),
      id_column: z.string(),
      label_columns: z.array(z.string()).nullable(),
      replace: z.boolean(),
      cache_dir: z.string(),
    }),
    result: FollowUpOutcomesAdded,
  },
  follow_up_evaluate: {
    params: z.strictObject({
      ...place,
      ...model,
      development: z
        .strictObject({ result: z.string(), predictions: z.string() })
        .nullable()
        .meta({ description: 'Absolute paths of the files of the newest evaluation on test cases' }),
    }),
    result: Evaluated,
  },
} as const
