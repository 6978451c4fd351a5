import { z } from 'zod'
import { Warning } from '../codes/index.js'
import { TrainingConfig } from '../configuration/training-config.js'

/** One training process and its record: states, transitions, and what the status endpoint answers. */

export const JOB_STATUSES = ['started', 'running', 'completed', 'failed', 'stopped'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Every transition there is. A terminal status has none: it is final. */
export const JOB_TRANSITIONS = {
  started: ['running', 'stopped', 'failed'],
  running: ['completed', 'failed', 'stopped'],
  completed: [],
  failed: [],
  stopped: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

export function canBecome(from: JobStatus, to: JobStatus): boolean {
  return (JOB_TRANSITIONS[from] as readonly JobStatus[]).includes(to)
}

export function isTerminal(status: JobStatus): boolean {
  return JOB_TRANSITIONS[status].length === 0
}

export const JOB_PHASES = ['queued', 'preparing', 'training', 'validating', 'checkpointing'] as const
export type JobPhase = (typeof JOB_PHASES)[number]

export const Timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' })
/** A metric that is not known or not defined is null: never NaN, never a stand-in. */
export const Metrics = z.record(z.string(), z.number().nullable()).meta({ id: 'Metrics' })
export type Metrics = z.infer<typeof Metrics>

/** Metrics of a job: these four are always present. val_auc is null where undefined; `val_auc_reason` in notes says why. */
export const JobMetrics = z
  .object({
    train_loss: z.number().nullable(),
    val_loss: z.number().nullable(),
    val_accuracy: z.number().nullable(),
    val_auc: z.number().nullable(),
  })
  .catchall(z.number().nullable())
  .meta({ id: 'JobMetrics' })
export type JobMetrics = z.infer<typeof JobMetrics>

export const JobError = z
  .object({ code: z.string(), message: z.string(), trace: z.string().nullable() })
  .meta({ id: 'JobError' })

/** What the trainer inferred from the data before epoch 1, echoed to the user. */
export const Prepared = z
  .object({
    task: z.enum(['classification', 'regression']),
    classes: z.array(z.string()).nullable(),
    label_column: z.string(),
    patient_column: z.string().nullable(),
    split_column: z.string().nullable(),
    image_columns: z.array(z.string()),
    numeric_columns: z.array(z.string()),
    categorical_columns: z.array(z.string()),
    ignored_columns: z.record(z.string(), z.string()).meta({ description: 'column → why it is not used' }),
    splits: z.record(
      z.string(),
      z.object({
        cases: z.int(),
        patients: z.int().nullable(),
        class_counts: z.record(z.string(), z.int()).nullable(),
      }),
    ),
    missing: z
      .record(z.string(), z.object({ cases: z.int(), columns: z.record(z.string(), z.int()) }))
      .optional()
      .meta({
        description:
          'split → its cases, and column → cases without a value in the table, whatever the strategy does about them; rows that the strategy "drop" leaves out are parts of their own. Absent where an older version prepared the data',
      }),
    parameters: z.int().meta({ description: 'Trainable and frozen parameters of the model' }),
    trainable_parameters: z.int(),
    device: z.string(),
    mixed_precision: z.enum(['off', 'bf16', 'fp16']),
    monitor: z.string(),
    warnings: z.array(Warning),
    data_digests: z
      .record(z.string(), z.string())
      .meta({ description: 'split → sha256 of its table and images' }),
  })
  .meta({ id: 'Prepared' })
export type Prepared = z.infer<typeof Prepared>

export const Job = z
  .object({
    job_id: z.uuid(),
    status: z.enum(JOB_STATUSES),
    epoch: z.int(),
    total_epochs: z.int(),
    metrics: JobMetrics,
    job_name: z.string(),
    phase: z.enum(JOB_PHASES).nullable(),
    reason: z.string().nullable().meta({ description: 'Why the job is in this state, in words' }),
    error: JobError.nullable(),
    queue_position: z.int().nullable(),
    attempt: z.int(),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    eta_seconds: z.number().nullable(),
    best: z.object({ epoch: z.int(), metrics: Metrics }).nullable(),
    model_id: z.string().nullable(),
    device: z.string().nullable(),
    resumed_from: z.uuid().nullable().meta({ description: 'The job that this one continues' }),
    resumable: z.boolean(),
    config: TrainingConfig,
    prepared: Prepared.nullable(),
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → why it is null' }),
    run_dir: z.string(),
    report_path: z.string().nullable().meta({
      description:
        'The HTML report of the run. Written after the job has ended, so null for a moment longer than the status runs; a report that cannot be written fails no job',
    }),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof Job>

export const StartRequest = z
  .strictObject({
    config: TrainingConfig,
    job_name: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}]*$/u, { error: 'no control characters' })
      .default('training')
      .meta({ title: 'Name of the job' }),
  })
  .meta({ id: 'StartRequest' })

export const JobResponse = z
  .object({ job_id: z.uuid(), status: z.enum(JOB_STATUSES), message: z.string() })
  .meta({ id: 'JobResponse' })
export type JobResponse = z.infer<typeof JobResponse>

export const LogChunk = z
  .object({
    job_id: z.uuid(),
    offset: z.int(),
    next_offset: z.int(),
    size: z.int(),
    text: z.string(),
  })
  .meta({ id: 'LogChunk' })

export const MetricSeries = z
  .object({
    job_id: z.uuid(),
    epochs: z.array(z.object({ epoch: z.int(), seconds: z.number(), metrics: Metrics })),
    batches: z
      .object({
        step: z.array(z.number()),
        loss: z.array(z.number().nullable()),
        loss_min: z.array(z.number().nullable()),
        loss_max: z.array(z.number().nullable()),
        learning_rate: z.array(z.number().nullable()),
        samples_per_second: z.array(z.number().nullable()),
      })
      .meta({
        description:
          'Progress messages, averaged into at most `buckets` buckets; step counts batches from the start',
      }),
  })
  .meta({ id: 'MetricSeries' })

export const Checkpoint = z
  .object({
    name: z.string(),
    path: z.string(),
    epoch: z.int(),
    metrics: Metrics,
    size_bytes: z.int(),
    created_at: Timestamp,
    digest: z.string(),
  })
  .meta({ id: 'Checkpoint' })
export type Checkpoint = z.infer<typeof Checkpoint>
