import { z } from 'zod'
import { Timestamp } from '../timestamp.js'
import { SeriesColumns } from './curves.js'

/** Resource measurements of a running training and all its processes. */
export const MEASURED_RESOURCES = [
  'cpu_percent',
  'memory_bytes',
  'gpu_percent',
  'gpu_memory_bytes',
  'disk_read_bytes_per_second',
  'disk_written_bytes_per_second',
  'disk_free_bytes',
] as const

export const ResourceSeries = z
  .object({
    job_id: z.uuid(),
    at: z.array(Timestamp).meta({ description: 'Of each bucket the end' }),
    step: z.array(z.number()).meta({
      description: 'Of each bucket: batches from the start of the training by then, as the curves count them',
    }),
    points: z.array(z.int()).meta({ description: 'Of each bucket: how often was measured, every 5 seconds' }),
    series: z.record(z.enum(MEASURED_RESOURCES), SeriesColumns).meta({
      description:
        'cpu_percent: 100 is one core. Memory is resident, and pages that processes share count for each. gpu_percent is the mean of the GPUs of the job, gpu_memory_bytes what is in use on all of them',
    }),
    reasons: z
      .partialRecord(z.enum(MEASURED_RESOURCES), z.string())
      .meta({ description: 'Why a value was null the last time' }),
  })
  .meta({ id: 'ResourceSeries' })
export type ResourceSeries = z.infer<typeof ResourceSeries>
