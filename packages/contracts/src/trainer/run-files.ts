import { z } from 'zod'
import { TASKS } from '../configuration/choices.js'
import { FineTunedFrom } from '../jobs/fine-tuned-from.js'
import { Metrics } from '../jobs/metrics.js'
import { MEASURED_RESOURCES } from '../jobs/resources.js'
import { phrasesOf } from '../phrases/phrase.js'
import { Timestamp } from '../timestamp.js'
import { WrittenBy } from './attempt.js'
import { RUN_SCHEMA_VERSION } from './spec.js'

/** Files of a run directory that the trainer writes and the service reads, or vice versa. */
/** control.<attempt>.json in the run directory: requests of the service to a running trainer. */
export const TrainerControl = z
  .strictObject({ request: z.enum(['stop', 'finish']) })
  .meta({ id: 'TrainerControl' })

/**
 * heartbeat.<attempt>.json: phase of the trainer, and its number of steps. Written in place by the working thread, at most once a second; a
 * trainer without new steps for longer than patience_seconds is stalled. Earlier versions wrote none.
 */
export const TrainerHeartbeat = z
  .strictObject({
    process: z.string().meta({ description: 'Process for display, such as "process 4711 on gpu-3"' }),
    steps: z.int().min(0).meta({ description: 'Step counter: batches, images, phases' }),
    doing: z.string().max(200).meta({ description: 'Phase, such as "training, epoch 2, batch 14 of 200"' }),
    doing_phrases: phrasesOf('doing'),
    at: Timestamp,
    patience_seconds: z.number().min(0).meta({
      description:
        'Maximum time of the next step: ten times the longest step of its kind so far, or ten minutes before the first measurement',
    }),
  })
  .meta({ id: 'TrainerHeartbeat' })
export type TrainerHeartbeat = z.infer<typeof TrainerHeartbeat>

/**
 * One line of resources.<attempt>.jsonl: resource usage of the training, measured every five seconds in a separate thread. Rates are means
 * since the previous line. Earlier versions wrote none.
 */
export const TrainerResources = z
  .strictObject({
    at: Timestamp,
    step: z.int().min(0).meta({ description: 'Batches since the start of the training' }),
    values: z.record(z.enum(MEASURED_RESOURCES), z.number().nullable()),
    reasons: z
      .partialRecord(z.enum(MEASURED_RESOURCES), z.string())
      .meta({ description: 'Reason why a value is null' }),
  })
  .meta({ id: 'TrainerResources' })
export type TrainerResources = z.infer<typeof TrainerResources>

/** checkpoints/<name>/checkpoint.json: the manifest, replaced atomically; files carry their digest in their name. */
export const CheckpointManifest = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    job_id: z.uuid(),
    attempt: WrittenBy,
    epoch: z.int(),
    created_at: Timestamp,
    metrics: Metrics,
    fine_tuned_from: FineTunedFrom.optional().meta({
      description: 'Trained model that the training started from; absent without fine-tuning',
    }),
    files: z.record(
      z.string().meta({ description: 'Files: model, state, optimizer' }),
      z.object({ file: z.string(), sha256: z.string(), size_bytes: z.int() }),
    ),
  })
  .meta({ id: 'CheckpointManifest' })

/** A finished epoch: one line of metrics/epochs.jsonl, after its header. */
export const FinishedEpoch = z
  .object({
    epoch: z.int(),
    metrics: Metrics,
    notes: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'metric → reason why its value is null' }),
  })
  .meta({ id: 'FinishedEpoch' })

/**
 * First line of metrics/epochs.jsonl. A line is added for each finished epoch, before its checkpoint is saved; a resumed training starts
 * with the finished epochs of its checkpoint. Earlier versions had only metrics.json.
 */
export const EpochsHeader = z
  .object({ schema_version: z.literal(RUN_SCHEMA_VERSION), attempt: WrittenBy })
  .meta({ id: 'EpochsHeader' })

/**
 * metrics/metrics.json: every finished epoch, including those of the resumed job. Written at the end of the training; earlier versions
 * replaced it after each epoch.
 */
export const RunMetrics = EpochsHeader.extend({ epochs: z.array(FinishedEpoch) }).meta({ id: 'RunMetrics' })

/** The part `state` of a checkpoint that the service reads: the model's configuration and its inferred values. */
export const CheckpointState = z
  .object({
    config: z.record(z.string(), z.record(z.string(), z.unknown())),
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    preprocessing: z.object({
      label_column: z.string().nullable(),
      label_columns: z.array(z.string()).nullable().optional(),
      image_columns: z.array(z.string()),
      table: z.object({ columns: z.array(z.object({ name: z.string(), kind: z.string() })) }),
    }),
    ensemble: z
      .object({ members: z.array(z.unknown()) })
      .optional()
      .meta({ description: 'Members of an ensemble; absent for a trained model' }),
  })
  .meta({ id: 'CheckpointState' })
export type CheckpointState = z.infer<typeof CheckpointState>
