import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { Inspection } from '../datasets.js'
import { JOB_PHASES, Metrics, Prepared, Timestamp } from '../jobs/job.js'
import { Interval } from '../models.js'
import { NodeContent } from '../nodes/values.js'
import { PreparedCache, PreparedCacheCleared } from '../system.js'

/**
 * What the service and the trainer say to each other. Training jobs speak through files in the run directory, because files
 * outlive both processes; short tasks (inspect, evaluate, probe) speak JSON lines over pipes, because they end with the service.
 * The Python side reads this as emitted JSON Schema.
 */

export const RUN_SCHEMA_VERSION = 1

/** spec.json: everything a training needs. The trainer adds no defaults of its own. */
export const TrainerSpec = z
  .strictObject({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    job_id: z.uuid(),
    job_name: z.string(),
    attempt: z.int().min(1),
    run_dir: z
      .string()
      .meta({ description: 'Absolute; the run directory, the only place the trainer writes results' }),
    cache_dir: z.string().meta({ description: 'Absolute; prepared arrays, shared by runs' }),
    roots: z
      .array(z.string())
      .meta({ description: 'Absolute folders that image paths in tables must stay inside' }),
    resume_from: z.string().nullable().meta({ description: 'Absolute checkpoint folder to continue from' }),
    config: TrainingConfig,
  })
  .meta({ id: 'TrainerSpec' })
export type TrainerSpec = z.infer<typeof TrainerSpec>

const line = { timestamp: Timestamp, attempt: z.int().min(1) }

/** limit.json in the cache folder: what all prepared images together may occupy. Every process that prepares images keeps to it. */
export const CacheLimit = z.strictObject({ limit_bytes: z.int().min(0) })
export type CacheLimit = z.infer<typeof CacheLimit>

/** One line of events.<attempt>.jsonl. `completed` and `error` are terminal and written after result.json. */
export const TrainerEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('phase'), ...line, phase: z.enum(JOB_PHASES), epoch: z.int() }),
    z.object({ type: z.literal('prepared'), ...line, prepared: Prepared }),
    z.object({
      type: z.literal('progress'),
      ...line,
      epoch: z.int(),
      batch: z.int(),
      total_batches: z.int(),
      metrics: Metrics,
      eta_seconds: z.number().nullable(),
    }),
    z.object({
      type: z.literal('validation'),
      ...line,
      epoch: z.int(),
      metrics: Metrics,
      notes: z.record(z.string(), z.string()).meta({ description: 'metric → why it is null' }),
    }),
    z.object({
      type: z.literal('epoch_end'),
      ...line,
      epoch: z.int(),
      total_epochs: z.int(),
      metrics: Metrics,
      duration_seconds: z.number(),
      is_best: z.boolean(),
    }),
    z.object({ type: z.literal('checkpoint'), ...line, epoch: z.int(), name: z.string() }),
    z.object({
      type: z.literal('completed'),
      ...line,
      status: z.enum(['completed', 'stopped']),
      reason: z
        .string()
        .meta({ description: 'all epochs done, early stopping, stopped on request, finished on request' }),
      epoch: z.int(),
      metrics: Metrics,
      best: z.object({ epoch: z.int(), metrics: Metrics }).nullable(),
      best_checkpoint: z.string().nullable().meta({ description: 'Relative to the run directory' }),
      duration_seconds: z.number(),
    }),
    z.object({
      type: z.literal('error'),
      ...line,
      epoch: z.int(),
      code: z.string(),
      message: z.string(),
      details: z.string(),
      trace: z.string().nullable(),
    }),
  ])
  .meta({ id: 'TrainerEvent' })
export type TrainerEvent = z.infer<typeof TrainerEvent>

/** control.<attempt>.json in the run directory: what the service asks of a running trainer. */
export const TrainerControl = z
  .strictObject({ request: z.enum(['stop', 'finish']) })
  .meta({ id: 'TrainerControl' })

/** Which attempt wrote a file that the attempts of a job share. Files of older versions lack it. */
const WrittenBy = z.int().min(1).optional().meta({
  description:
    'The attempt that wrote this; a late writer of an older attempt replaces nothing of a newer one',
})

/** checkpoints/<name>/checkpoint.json: the manifest, replaced atomically; files carry their digest in their name. */
export const CheckpointManifest = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    job_id: z.uuid(),
    attempt: WrittenBy,
    epoch: z.int(),
    created_at: Timestamp,
    metrics: Metrics,
    files: z.record(
      z.string().meta({ description: 'model, state, optimizer' }),
      z.object({ file: z.string(), sha256: z.string(), size_bytes: z.int() }),
    ),
  })
  .meta({ id: 'CheckpointManifest' })

/** metrics/metrics.json: every finished epoch, those of the job that this one continues included. */
export const RunMetrics = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    attempt: WrittenBy,
    epochs: z.array(
      z.object({
        epoch: z.int(),
        metrics: Metrics,
        notes: z.record(z.string(), z.string()).optional().meta({ description: 'metric → why it is null' }),
      }),
    ),
  })
  .meta({ id: 'RunMetrics' })

const Curve = z.object({ x: z.array(z.number()), y: z.array(z.number()) })

/** Everything a report draws, computed by the trainer; evaluations/<id>/evaluation.json and metrics/validation.json. */
export const EvaluationResult = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    split: z.string(),
    source: z.object({
      csv: z.string(),
      digest: z.string(),
      checkpoint: z.string(),
      checkpoint_digest: z.string(),
    }),
    task: z.enum(['classification', 'regression']),
    classes: z.array(z.string()).nullable(),
    positive_class: z
      .string()
      .nullable()
      .meta({ description: 'Binary tasks: the class that sensitivity speaks of' }),
    threshold: z.number().nullable().meta({ description: 'Binary tasks: chosen on validation' }),
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    class_counts: z.record(z.string(), z.int()).nullable(),
    flow: z.array(z.object({ step: z.string(), cases: z.int(), patients: z.int().nullable() })),
    missing: z.record(z.string(), z.int()).meta({ description: 'column → cases without a value' }),
    metrics: Metrics,
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → why it is null' }),
    intervals: z.record(z.string(), Interval),
    per_class: z
      .array(
        z.object({
          name: z.string(),
          cases: z.int(),
          metrics: Metrics,
          intervals: z.record(z.string(), Interval),
        }),
      )
      .nullable(),
    confusion_matrix: z
      .array(z.array(z.int()))
      .nullable()
      .meta({ description: 'row: true class, column: predicted' }),
    roc: z.array(z.object({ name: z.string(), curve: Curve })).nullable(),
    pr: z.array(z.object({ name: z.string(), prevalence: z.number(), curve: Curve })).nullable(),
    calibration: z
      .object({
        bins: z.array(
          z.object({
            predicted: z.number(),
            observed: z.number(),
            count: z.int(),
            low: z.number(),
            high: z.number(),
          }),
        ),
        slope: z.number().nullable(),
        intercept: z.number().nullable(),
      })
      .nullable(),
    regression: z
      .object({
        truth: z.array(z.number()),
        predicted: z.array(z.number()),
        bias: z.number(),
        loa_low: z.number(),
        loa_high: z.number(),
      })
      .nullable(),
    subgroups: z.array(
      z.object({
        column: z.string(),
        group: z.string(),
        cases: z.int(),
        events: z.int().nullable(),
        metrics: Metrics,
        reason: z.string().nullable(),
      }),
    ),
    failures: z
      .array(z.object({ row: z.int(), truth: z.string(), predicted: z.string(), confidence: z.number() }))
      .meta({
        description:
          'The most confident mistakes, by row number of the table; confidence: probability of the predicted class. Regression: the largest errors; confidence: absolute error in units of the label',
      }),
    warnings: z.array(Warning),
    predictions: z.string().meta({ description: 'CSV beside this file' }),
    software: z.record(z.string(), z.string()),
  })
  .meta({ id: 'EvaluationResult' })
export type EvaluationResult = z.infer<typeof EvaluationResult>

/** Short tasks: one JSON line in, any number of progress lines and one result or error line out. */
export const WORKER_TASKS = {
  probe: {
    params: z.strictObject({}),
    result: z.object({
      python_version: z.string(),
      pytorch_version: z.string(),
      packages: z.record(z.string(), z.string()),
      cuda: z.array(
        z.object({ id: z.int(), name: z.string(), memory_total_bytes: z.int(), memory_used_bytes: z.int() }),
      ),
      mps: z.boolean(),
    }),
  },
  inspect: {
    params: z.strictObject({
      path: z.string(),
      image_root: z.string().nullable(),
      label_column: z.string().nullable(),
      patient_column: z.string().nullable(),
      ignore_columns: z.array(z.string()),
      roots: z.array(z.string()),
    }),
    result: Inspection,
  },
  evaluate: {
    params: z.strictObject({
      checkpoint: z.string(),
      csv: z.string(),
      image_root: z.string().nullable(),
      split: z.string(),
      out_dir: z
        .string()
        .meta({ description: 'Absolute; evaluation.json and predictions.csv are written here' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
      device: z.string(),
    }),
    result: EvaluationResult,
  },
  cache_state: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCache },
  cache_clear: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCacheCleared },
  node: {
    params: z.strictObject({
      type: z.string().meta({ description: 'Node type of the catalog' }),
      config: z.record(z.string(), z.unknown()).meta({ description: 'Complete' }),
      inputs: z
        .record(z.string(), z.array(NodeContent))
        .meta({ description: 'port → the values that arrive; several where a port joins parts' }),
      store: z.string().meta({ description: 'Absolute; the artifact store, see Blob' }),
      project: z.string().meta({ description: 'Absolute; relative output paths start here' }),
      data_dir: z.string().meta({ description: 'Absolute; checkpoint paths of trained models start here' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
      device: z.string(),
    }),
    result: z.object({
      outputs: z.record(z.string(), z.object({ content: NodeContent, summary: z.string() })),
      warnings: z.array(Warning),
    }),
  },
} as const
export type WorkerTask = keyof typeof WORKER_TASKS

export const WorkerRequest = z
  .strictObject({
    id: z.string(),
    task: z.enum(Object.keys(WORKER_TASKS) as [WorkerTask, ...WorkerTask[]]),
    params: z.unknown(),
  })
  .meta({ id: 'WorkerRequest' })

export const WorkerReply = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('progress'), id: z.string(), fraction: z.number(), message: z.string() }),
    z.object({ type: z.literal('result'), id: z.string(), result: z.unknown() }),
    z.object({
      type: z.literal('error'),
      id: z.string(),
      code: z.string(),
      message: z.string(),
      details: z.string(),
      trace: z.string().nullable(),
    }),
  ])
  .meta({ id: 'WorkerReply' })
