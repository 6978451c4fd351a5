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
    at: z.array(Timestamp).meta({ description: 'End of each bucket' }),
    step: z.array(z.number()).meta({
      description: 'Batches from the start of the training to the end of each bucket, as in the curves',
    }),
    points: z
      .array(z.int())
      .meta({ description: 'Number of measurements in each bucket, one every 5 seconds' }),
    series: z.record(z.enum(MEASURED_RESOURCES), SeriesColumns).meta({
      description:
        'cpu_percent: 100 is one core. Memory is resident memory; shared pages are counted for each process. gpu_percent is the mean over the GPUs of the job, gpu_memory_bytes the sum over them',
    }),
    reasons: z
      .partialRecord(z.enum(MEASURED_RESOURCES), z.string())
      .meta({ description: 'Reason why the latest value was null' }),
  })
  .meta({ id: 'ResourceSeries' })
export type ResourceSeries = z.infer<typeof ResourceSeries>
