import { z } from 'zod'
import { BaselineVerdict } from '../baselines.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'
import { Metrics } from './metrics.js'
import { Stalled } from './stalled.js'

/** Messages on /ws/training/{job_id}: consecutive `seq` per job, exactly one terminal message, which is the last. */

const envelope = {
  job_id: z.uuid(),
  seq: z.int().min(1),
  timestamp: Timestamp,
  epoch: z.int(),
  metrics: Metrics,
}

export const ProgressMessage = z
  .object({
    type: z.literal('progress'),
    ...envelope,
    batch: z.int(),
    total_batches: z.int(),
    eta_seconds: z.number().nullable(),
  })
  .meta({ id: 'ProgressMessage', description: 'Progress within an epoch, at most ten times a second' })

export const EpochEndMessage = z
  .object({
    type: z.literal('epoch_end'),
    ...envelope,
    total_epochs: z.int(),
    duration_seconds: z.number(),
    is_best: z.boolean(),
  })
  .meta({ id: 'EpochEndMessage', description: 'An epoch is completed' })

export const ValidationMessage = z
  .object({ type: z.literal('validation'), ...envelope })
  .meta({ id: 'ValidationMessage', description: 'Metrics of the validation after an epoch' })

export const StalledMessage = z
  .object({ type: z.literal('stalled'), ...envelope, stalled: Stalled.nullable() })
  .meta({
    id: 'StalledMessage',
    description: 'Training has stalled; with `stalled` null it has resumed',
  })

export const CompletedMessage = z
  .object({
    type: z.literal('completed'),
    ...envelope,
    status: z.enum(['completed', 'stopped']),
    best_checkpoint: z.string().nullable(),
    model_id: z.string().nullable(),
    baseline_verdict: BaselineVerdict.nullable()
      .optional()
      .meta({ description: 'The best baseline on the validation split; absent in older messages' }),
    duration_seconds: z.number(),
  })
  .meta({ id: 'CompletedMessage', description: 'The job is completed or stopped; last message' })

export const ErrorMessage = z
  .object({
    type: z.literal('error'),
    ...envelope,
    error: z.string(),
    error_phrases: phrasesOf('error'),
    code: z.string(),
    details: z.string(),
    details_phrases: phrasesOf('details'),
  })
  .meta({ id: 'ErrorMessage', description: 'The job failed; last message' })

export const JobMessage = z
  .discriminatedUnion('type', [
    ProgressMessage,
    EpochEndMessage,
    ValidationMessage,
    StalledMessage,
    CompletedMessage,
    ErrorMessage,
  ])
  .meta({ id: 'JobMessage' })
export type JobMessage = z.infer<typeof JobMessage>
