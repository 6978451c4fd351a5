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
      used: z.int().meta({ description: 'Jobs that run' }),
      total: z.int().nullable().meta({ description: 'null while it is not known what there is to train on' }),
    }),
    queue: z.object({ waiting: z.int(), pause: QueuePause.nullable() }),
    cpu: z.object({
      percent: z.number().nullable().meta({ description: 'Of all cores; null at the first look' }),
      count: z.int(),
    }),
    memory: bytes,
    disk: bytes.nullable().meta({ description: 'Of the data folder; null when it does not answer' }),
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
    description: `The newest ${SNAPSHOT_ITEMS} of each kind, newest first, and every job that runs`,
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
        stream: z.string().meta({ description: 'Names the count of this run of the service' }),
        seq: z.int().min(0),
        timestamp: Timestamp,
        state: ServiceState,
      })
      .meta({ description: 'The service as it is' }),
    z.object({ type: z.literal('job'), ...delta, job: JobSummary }).meta({
      description: 'A job is new or has changed',
    }),
    z.object({ type: z.literal('run'), ...delta, run: RunRecord }).meta({
      description: 'A run of a workflow is new or has changed',
    }),
    z.object({ type: z.literal('study'), ...delta, study: StudySummary }).meta({
      description: 'A study is new or has changed',
    }),
    z.object({ type: z.literal('model'), ...delta, model: Model }).meta({
      description: 'A model is new or has changed',
    }),
    z.object({ type: z.literal('dataset'), ...delta, dataset: DatasetSummary }).meta({
      description: 'A data set is new or has changed',
    }),
    z.object({ type: z.literal('removed'), ...delta, kind: z.enum(ITEM_KINDS), id: z.string() }).meta({
      description: 'It does not exist any more',
    }),
    z.object({ type: z.literal('usage'), ...delta, usage: ServiceUsage }).meta({
      description: 'What is in use, every five seconds and when a job starts or ends',
    }),
  ])
  .meta({ id: 'ServiceMessage' })
export type ServiceMessage = z.infer<typeof ServiceMessage>
