import { z } from 'zod'
import { phrasesOf } from './phrases/phrase.js'
import { Timestamp } from './timestamp.js'

/** State of the machine and of the service. */

export const SystemInfo = z
  .object({
    gpu: z.object({
      available: z.boolean(),
      count: z.int(),
      devices: z.array(
        z.object({ id: z.int(), name: z.string(), memory_total: z.string(), memory_used: z.string() }),
      ),
      mps: z.boolean().meta({ description: 'Apple GPU through Metal' }),
    }),
    disk: z.object({ total: z.string(), used: z.string(), free: z.string() }),
    python_version: z.string().meta({ description: '"unknown" if the environment does not respond' }),
    pytorch_version: z.string(),
    node_version: z.string(),
    medloom_version: z.string(),
    platform: z.string(),
    cpu: z.object({ count: z.int(), model: z.string() }),
    memory: z.object({ total: z.string(), free: z.string() }),
    python_error: z.string().nullable(),
    trainings: z.object({
      launcher: z.string().meta({ description: 'Launcher of trainings: local, ray or slurm' }),
      cluster: z.object({ nodes: z.int(), cpus: z.int(), gpus: z.int() }).nullable().meta({
        description:
          'Resources of the cluster, including lost nodes; null if trainings run on this machine or the cluster does not respond',
      }),
    }),
  })
  .meta({ id: 'SystemInfo' })
export type SystemInfo = z.infer<typeof SystemInfo>

/** A fault of the machine that would fail every job: jobs wait until it is repaired. */
export const QueuePause = z
  .object({
    since: Timestamp,
    code: z.string(),
    message: z.string(),
    message_phrases: phrasesOf('message'),
    remedy: z.string(),
    remedy_phrases: phrasesOf('remedy'),
    retry_at: Timestamp.meta({ description: 'Time of the next attempt to start a job' }),
  })
  .meta({ id: 'QueuePause' })
export type QueuePause = z.infer<typeof QueuePause>

export const Health = z
  .object({
    status: z.string(),
    timestamp: Timestamp,
    queue: QueuePause.nullable().meta({
      description: 'Reason why no jobs are started; null while jobs are started',
    }),
  })
  .meta({ id: 'Health' })

export const Ready = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    timestamp: Timestamp,
    checks: z.record(
      z.string(),
      z.object({ ok: z.boolean(), message: z.string(), message_phrases: phrasesOf('message') }),
    ),
  })
  .meta({ id: 'Ready' })

/** Decoded images, cached for later trainings. */
export const PreparedCache = z
  .object({
    limit_bytes: z.int().nullable().meta({ description: 'null: no limit' }),
    size_bytes: z.int(),
    stores: z
      .array(
        z.object({
          image_size: z
            .tuple([z.int(), z.int()])
            .nullable()
            .meta({ description: '[width, height] in pixels' }),
          depth: z.int().nullable().meta({ description: 'Bits' }),
          images: z.int(),
          size_bytes: z.int(),
          last_used_at: Timestamp,
          in_use: z.boolean().meta({
            description: 'Whether a training or a task uses the store; a store in use is never removed',
          }),
        }),
      )
      .meta({ description: 'One store per size, depth and window; most recently used first' }),
  })
  .meta({ id: 'PreparedCache' })
export type PreparedCache = z.infer<typeof PreparedCache>

export const PreparedCacheCleared = z
  .object({
    cleared: z.int().meta({ description: 'Number of removed stores' }),
    freed_bytes: z.int(),
    kept: z.int().meta({ description: 'Number of kept stores that are in use' }),
  })
  .meta({ id: 'PreparedCacheCleared' })
export type PreparedCacheCleared = z.infer<typeof PreparedCacheCleared>

export const BackboneRecord = z
  .object({
    name: z.string(),
    family: z.string(),
    aliases: z.array(z.string()),
    takes_image_size: z.boolean(),
    size_multiple: z.int(),
  })
  .meta({ id: 'Backbone' })
