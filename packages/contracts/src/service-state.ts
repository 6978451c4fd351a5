import { z } from 'zod'
import { DatasetSummary } from './datasets.js'
import { JOB_STATUSES, JobSummary } from './jobs/index.js'
import { Model } from './models.js'
import { STUDY_STATUSES, StudySummary } from './studies/index.js'
import { QueuePause } from './system.js'
import { Timestamp } from './timestamp.js'
import { RunRecord } from './workflow/index.js'

/** Maximum number of items of each kind in a snapshot of the service. */
export const SNAPSHOT_ITEMS = 50

const bytes = z.object({ total_bytes: z.number(), free_bytes: z.number() })

export const ServiceUsage = z
  .object({
    slots: z.object({
      used: z.int().meta({ description: 'Number of running jobs' }),
      total: z
        .int()
        .nullable()
        .meta({ description: 'Number of training slots; null while the devices are not known' }),
    }),
    queue: z.object({ waiting: z.int(), pause: QueuePause.nullable() }),
    cpu: z.object({
      percent: z
        .number()
        .nullable()
        .meta({ description: 'Usage of all cores; null at the first measurement' }),
      count: z.int(),
    }),
    memory: bytes,
    disk: bytes
      .nullable()
      .meta({ description: 'Disk of the data folder; null if the disk does not respond' }),
    gpus: z
      .array(
        z.object({
          id: z.int(),
          name: z.string(),
          memory_total_bytes: z.number(),
          memory_used_bytes: z.number(),
        }),
      )
      .meta({ description: 'NVIDIA devices' }),
    counts: z.object({
      jobs: z.record(z.enum(JOB_STATUSES), z.int()),
      studies: z.record(z.enum(STUDY_STATUSES), z.int()),
      runs: z.object({ unfinished: z.int() }),
      models: z.int(),
      datasets: z.int(),
    }),
  })
  .meta({ id: 'ServiceUsage' })
export type ServiceUsage = z.infer<typeof ServiceUsage>

export const ServiceState = z
  .object({
    version: z.string(),
    usage: ServiceUsage,
    jobs: z.array(JobSummary),
    runs: z.array(RunRecord),
    studies: z.array(StudySummary),
    models: z.array(Model),
    datasets: z.array(DatasetSummary),
  })
  .meta({
    id: 'ServiceState',
    description: `The newest ${SNAPSHOT_ITEMS} items of each kind, newest first, and all running jobs`,
  })
export type ServiceState = z.infer<typeof ServiceState>

/** Kinds of items in lists. */
export const ITEM_KINDS = ['job', 'run', 'study', 'model', 'dataset'] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

const delta = { seq: z.int().min(1), timestamp: Timestamp }

/** Messages on /ws/service: one snapshot, followed by changes. */
export const ServiceMessage = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('snapshot'),
        stream: z
          .string()
          .meta({ description: 'Identifier of the message sequence of this run of the service' }),
        seq: z.int().min(0),
        timestamp: Timestamp,
        state: ServiceState,
      })
      .meta({ description: 'Current state of the service' }),
    z.object({ type: z.literal('job'), ...delta, job: JobSummary }).meta({
      description: 'A job was added or changed',
    }),
    z.object({ type: z.literal('run'), ...delta, run: RunRecord }).meta({
      description: 'A workflow run was added or changed',
    }),
    z.object({ type: z.literal('study'), ...delta, study: StudySummary }).meta({
      description: 'A study was added or changed',
    }),
    z.object({ type: z.literal('model'), ...delta, model: Model }).meta({
      description: 'A model was added or changed',
    }),
    z.object({ type: z.literal('dataset'), ...delta, dataset: DatasetSummary }).meta({
      description: 'A dataset was added or changed',
    }),
    z.object({ type: z.literal('removed'), ...delta, kind: z.enum(ITEM_KINDS), id: z.string() }).meta({
      description: 'An item was removed',
    }),
    z.object({ type: z.literal('usage'), ...delta, usage: ServiceUsage }).meta({
      description: 'Resource usage, every five seconds and when a job starts or ends',
    }),
  ])
  .meta({ id: 'ServiceMessage' })
export type ServiceMessage = z.infer<typeof ServiceMessage>
