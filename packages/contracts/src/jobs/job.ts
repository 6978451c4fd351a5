import { z } from 'zod'
import { BaselineVerdict } from '../baselines.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { owner } from '../people/users.js'
import { Timestamp } from '../timestamp.js'
import { Ensemble } from './ensemble.js'
import { FineTunedFrom } from './fine-tuned-from.js'
import { JobName, LABELS } from './labels.js'
import { JobMetrics, Metrics } from './metrics.js'
import { Prepared } from './prepared.js'
import { Stalled } from './stalled.js'
import { JOB_PHASES, JOB_STATUSES } from './status.js'

/** One training process and its record: requests and responses of the job endpoints. */
export const JobError = z
  .object({ code: z.string(), message: z.string(), trace: z.string().nullable() })
  .meta({ id: 'JobError' })

export const Job = z
  .object({
    job_id: z.uuid(),
    status: z.enum(JOB_STATUSES),
    epoch: z.int(),
    total_epochs: z.int(),
    metrics: JobMetrics,
    job_name: z.string(),
    ...LABELS,
    phase: z.enum(JOB_PHASES).nullable(),
    reason: z.string().nullable().meta({ description: 'Why the job is in this state, in words' }),
    error: JobError.nullable(),
    stalled: Stalled.nullable().meta({
      description:
        'A running job that makes no steps: since when, at what, and what to do; null while it moves',
    }),
    queue_position: z.int().nullable(),
    attempt: z.int(),
    owner,
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    eta_seconds: z.number().nullable(),
    best: z.object({ epoch: z.int(), metrics: Metrics }).nullable(),
    baseline_verdict: BaselineVerdict.nullable().meta({
      description:
        'How the model compares with the best of its baselines on the validation split; null until the job has ended, and without baselines',
    }),
    model_id: z.string().nullable(),
    device: z.string().nullable(),
    resumed_from: z.uuid().nullable().meta({ description: 'The job that this one continues' }),
    resumed_checkpoint: z.string().nullable().meta({
      description: 'The checkpoint of that job which this one goes on from; null: its last one',
    }),
    fine_tuned_from: FineTunedFrom.nullable().meta({
      description: 'The trained model that this training started from; null for one that started anew',
    }),
    study_id: z.uuid().nullable().meta({ description: 'The study that this job is a training of' }),
    ensemble: Ensemble.optional().meta({
      description:
        'Of the record of an ensemble, which trained nothing: the models that it combines. Its configuration is that of the first, without its fold',
    }),
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
    job_name: JobName.default('training').meta({ title: 'Name of the job' }),
  })
  .meta({ id: 'StartRequest' })

export const ResumeRequest = z
  .strictObject({
    checkpoint: z
      .string()
      .max(200)
      .regex(/^\w[\w.-]*$/, { error: 'expected the name of a checkpoint' })
      .optional()
      .meta({
        title:
          'Name of the checkpoint to go on from, as the list of its checkpoints has it; absent: the last one',
        examples: ['best'],
      }),
  })
  .meta({ id: 'ResumeRequest' })

export const JobResponse = z
  .object({ job_id: z.uuid(), status: z.enum(JOB_STATUSES), message: z.string() })
  .meta({ id: 'JobResponse' })
export type JobResponse = z.infer<typeof JobResponse>

export const LogChunk = z
  .object({
    job_id: z.uuid(),
    offset: z.int().meta({
      description:
        'Where the text begins: as asked for, or later, at what is kept. A log keeps its beginning and its newest megabytes',
    }),
    next_offset: z.int().meta({ description: 'Where the text ends; ask for this next' }),
    size: z.int().meta({ description: 'Bytes that were written so far, also those that are not kept' }),
    text: z.string(),
  })
  .meta({ id: 'LogChunk' })

export const LogMatches = z
  .object({
    job_id: z.uuid(),
    matches: z.array(
      z.object({
        offset: z
          .int()
          .meta({ description: 'Byte at which the line begins; part of the log is read from there' }),
        line: z.int().meta({ description: 'From 1, among the lines that are kept' }),
        text: z.string().meta({ description: 'The line; of a long one the beginning' }),
      }),
    ),
    more: z.boolean().meta({ description: 'Whether further lines match' }),
    size: z.int().meta({ description: 'Bytes that were written so far, also those that are not kept' }),
  })
  .meta({ id: 'LogMatches' })
export type LogMatches = z.infer<typeof LogMatches>
