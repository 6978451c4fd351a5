import { z } from 'zod'
import { BaselineVerdict } from '../baselines.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { owner } from '../people/users.js'
import { PHRASES } from '../phrases/index.js'
import { phrasesOf } from '../phrases/phrase.js'
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
  .object({
    code: z.string(),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    trace: z.string().nullable(),
  })
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
    reason: z.string().nullable().meta({ description: 'Reason for the state of the job' }),
    reason_phrases: phrasesOf('reason'),
    error: JobError.nullable(),
    stalled: Stalled.nullable().meta({
      description: 'Stalled training: start, phase and remedy; null while the training makes progress',
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
        'Comparison of the model with the best baseline on the validation split; null until the job ends, and without baselines',
    }),
    model_id: z.string().nullable(),
    device: z.string().nullable(),
    resumed_from: z.uuid().nullable().meta({ description: 'Job that this job continues' }),
    resumed_checkpoint: z.string().nullable().meta({
      description: 'Checkpoint of that job from which this job continues; null: the last checkpoint',
    }),
    fine_tuned_from: FineTunedFrom.nullable().meta({
      description: 'Trained model that this training started from; null without fine-tuning',
    }),
    study_id: z.uuid().nullable().meta({ description: 'Study that the job belongs to' }),
    ensemble: Ensemble.optional().meta({
      description:
        'For an ensemble, which is not trained itself: its members. The configuration is that of the first member, without its fold',
    }),
    resumable: z.boolean(),
    config: TrainingConfig,
    prepared: Prepared.nullable(),
    notes: z.record(z.string(), z.string()).meta({ description: 'metric → reason why its value is null' }),
    run_dir: z.string(),
    report_path: z.string().nullable().meta({
      description:
        'HTML report of the run. It is written after the job has ended, so it is null for a moment after the end. A report that cannot be written does not fail the job',
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
      .regex(/^\w[\w.-]*$/, { error: PHRASES.checkpoint_name_expected })
      .optional()
      .meta({
        title:
          'Name of the checkpoint to continue from, as in the list of checkpoints. Default: the last checkpoint',
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
        'Byte offset of the text: the requested offset, or the next stored byte. A log keeps its start and its newest megabytes',
    }),
    next_offset: z.int().meta({ description: 'Byte offset of the end of the text, for the next request' }),
    size: z
      .int()
      .meta({ description: 'Total number of bytes written, including bytes that are no longer stored' }),
    text: z.string(),
  })
  .meta({ id: 'LogChunk' })

export const LogMatches = z
  .object({
    job_id: z.uuid(),
    matches: z.array(
      z.object({
        offset: z.int().meta({ description: 'Byte offset of the line, for reading the log from there' }),
        line: z.int().meta({ description: 'Line number from 1, among the stored lines' }),
        text: z.string().meta({ description: 'The line; if it is long, its start' }),
      }),
    ),
    more: z.boolean().meta({ description: 'Whether there are more matching lines' }),
    size: z
      .int()
      .meta({ description: 'Total number of bytes written, including bytes that are no longer stored' }),
  })
  .meta({ id: 'LogMatches' })
export type LogMatches = z.infer<typeof LogMatches>
