import { z } from 'zod'
import { BaselineVerdict } from '../baselines.js'
import { Metrics } from '../jobs/metrics.js'
import { Prepared } from '../jobs/prepared.js'
import { JOB_PHASES } from '../jobs/status.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'

const line = { timestamp: Timestamp, attempt: z.int().min(1) }

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
      notes: z.record(z.string(), z.string()).meta({ description: 'metric → reason why its value is null' }),
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
      reason: z.string().meta({
        description: 'all epochs completed, early stopping, stopped on request, finished on request',
      }),
      reason_phrases: phrasesOf('reason'),
      epoch: z.int(),
      metrics: Metrics,
      best: z.object({ epoch: z.int(), metrics: Metrics }).nullable(),
      best_checkpoint: z.string().nullable().meta({ description: 'Path relative to the run directory' }),
      baseline_verdict: BaselineVerdict.nullable()
        .optional()
        .meta({ description: 'The best baseline on the validation split' }),
      duration_seconds: z.number(),
    }),
    z.object({
      type: z.literal('error'),
      ...line,
      epoch: z.int(),
      code: z.string(),
      message: z.string(),
      message_phrases: phrasesOf('message'),
      details: z.string(),
      details_phrases: phrasesOf('details'),
      trace: z.string().nullable(),
    }),
  ])
  .meta({ id: 'TrainerEvent' })
export type TrainerEvent = z.infer<typeof TrainerEvent>

/** Replaces an event with a long line (a table has thousands of columns): the file of the run directory that contains it. */
export const EventReference = z
  .object({
    type: z.string().meta({ description: 'Type of the event' }),
    ...line,
    payload: z.object({
      file: z
        .string()
        .meta({ description: 'Relative to the run directory, complete before this line is written' }),
      sha256: z.string(),
      size_bytes: z.int().min(0),
    }),
  })
  .meta({ id: 'EventReference' })
export type EventReference = z.infer<typeof EventReference>
