import { z } from 'zod'
import { Metrics } from '../jobs/metrics.js'
import { Timestamp } from '../timestamp.js'
import { RUN_SCHEMA_VERSION } from './spec.js'

/** Files of a run directory that the trainer writes and the service reads, or the reverse. */
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
