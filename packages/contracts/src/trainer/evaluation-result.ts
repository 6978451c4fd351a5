import { z } from 'zod'
import { BaselineResult, TrainedFrom } from '../baselines.js'
import { Warning } from '../codes/index.js'
import { TASKS } from '../configuration/choices.js'
import { Interval } from '../interval.js'
import { Metrics } from '../jobs/metrics.js'
import { phrasesOf } from '../phrases/phrase.js'
import { WrittenBy } from './attempt.js'
import { CalibrationBins } from './evaluation/calibration-bins.js'
import { ConformalResult } from './evaluation/conformal.js'
import { DecisionCurveResult } from './evaluation/decision-curve.js'
import { Disagreement } from './evaluation/disagreement.js'
import { Importance } from './evaluation/importance.js'
import { InputShift, Recalibration } from './evaluation/input-shift.js'
import { OperatingPointsResult } from './evaluation/operating-points.js'
import { PatientLevelResult } from './evaluation/patient-level.js'
import { Subgroups } from './evaluation/subgroups.js'
import { SurvivalResult } from './evaluation/survival.js'
import { TemperatureResult } from './evaluation/temperature.js'
import { ThresholdGridResult } from './evaluation/threshold-grid.js'
import { RUN_SCHEMA_VERSION } from './spec.js'

const Curve = z.object({ x: z.array(z.number()), y: z.array(z.number()) })

/** Calibration curve and calibration line (Cox 1958). */
const Calibration = z.object({
  bins: CalibrationBins,
  slope: z.number().nullable(),
  intercept: z.number().nullable(),
})

/** Complete content of a report, computed by the trainer; evaluations/<id>/evaluation.json and metrics/validation.json. */
export const EvaluationResult = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    attempt: WrittenBy,
    split: z.string(),
    source: z.object({
      csv: z.string(),
      digest: z.string(),
      checkpoint: z.string(),
      checkpoint_digest: z.string(),
    }),
    task: z.enum(TASKS),
    classes: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Classes; for several labels, the label columns' }),
    positive_class: z.string().nullable().meta({ description: 'Binary tasks: the positive class' }),
    out_of_fold: z.boolean().optional().meta({
      description:
        'true: each case was predicted only by the networks of an ensemble that did not train on it. Absent: all networks predicted it',
    }),
    trained_from: TrainedFrom.optional().meta({
      description:
        'Results of a training on its own cases: the rows that it learned from. Absent in evaluations and in results of older versions',
    }),
    threshold: z
      .number()
      .nullable()
      .meta({ description: 'Binary tasks: decision threshold, chosen on the validation split' }),
    threshold_reason: z.string().nullable().optional().meta({
      description:
        'Reason why no threshold could be chosen on the validation split, so that 0.5 is used (for several labels: the affected labels); null if it was chosen. Absent in results of older versions',
    }),
    threshold_reason_phrases: phrasesOf('threshold_reason'),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    class_counts: z.record(z.string(), z.int()).nullable(),
    flow: z.array(z.object({ step: z.string(), cases: z.int(), patients: z.int().nullable() })),
    missing: z
      .record(z.string(), z.int())
      .meta({ description: 'column → number of cases with a missing value' }),
    metrics: Metrics,
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → reason why its value is null' }),
    intervals: z.record(z.string(), Interval),
    per_class: z
      .array(
        z.object({
          name: z.string(),
          cases: z.int(),
          labelled: z.int().optional().meta({
            description:
              'Several labels: number of cases for which this label is known; cases is the number of positive cases',
          }),
          threshold: z.number().optional().meta({
            description: 'Several labels: decision threshold of this label, chosen on the validation split',
          }),
          metrics: Metrics,
          intervals: z.record(z.string(), Interval),
          calibration: Calibration.nullable()
            .optional()
            .meta({ description: 'Several labels: calibration of this label' }),
        }),
      )
      .nullable()
      .meta({ description: 'For more than two classes (each against the others) or several labels' }),
    confusion_matrix: z
      .array(z.array(z.int()))
      .nullable()
      .meta({ description: 'Rows: true class, columns: predicted class' }),
    roc: z.array(z.object({ name: z.string(), curve: Curve })).nullable(),
    pr: z.array(z.object({ name: z.string(), prevalence: z.number(), curve: Curve })).nullable(),
    calibration: Calibration.nullable(),
    temperature: TemperatureResult.optional(),
    operating_points: OperatingPointsResult.optional(),
    thresholds: ThresholdGridResult.optional().meta({ description: 'absent in results of older versions' }),
    decision_curve: DecisionCurveResult.optional(),
    patient_level: PatientLevelResult.optional(),
    conformal: ConformalResult.optional(),
    regression: z
      .object({
        truth: z.array(z.number()),
        predicted: z.array(z.number()),
        bias: z.number(),
        loa_low: z.number(),
        loa_high: z.number(),
      })
      .nullable(),
    survival: SurvivalResult.nullable().optional(),
    subgroups: Subgroups,
    failures: z
      .array(
        z.object({
          file: z.string().optional().meta({ description: 'Table; absent in results of earlier versions' }),
          row: z.int(),
          truth: z.string(),
          predicted: z.string(),
          confidence: z.number(),
        }),
      )
      .meta({
        description:
          'Failure cases with the highest confidence, by row number in the table of the user; confidence: probability of the predicted class. Regression: the largest errors; confidence: absolute error in units of the label',
      }),
    shift: InputShift.nullable().optional().meta({
      description:
        'Null: the checkpoint has no record of its training cases; absent in validation and in older results',
    }),
    recalibration: Recalibration.nullable()
      .optional()
      .meta({ description: 'Null: more than two classes; absent in validation and in older results' }),
    disagreement: Disagreement.optional().meta({
      description: 'Disagreement of the members of an ensemble; absent for a single network',
    }),
    importance: Importance.optional().meta({
      description: 'Present only if the evaluation was requested with importance',
    }),
    baselines: z
      .array(BaselineResult)
      .optional()
      .meta({ description: 'Baselines on the same cases; absent in results of older versions' }),
    warnings: z.array(Warning),
    predictions: z.string().meta({ description: 'CSV in the same folder' }),
    software: z.record(z.string(), z.string()),
  })
  .meta({ id: 'EvaluationResult' })
export type EvaluationResult = z.infer<typeof EvaluationResult>
