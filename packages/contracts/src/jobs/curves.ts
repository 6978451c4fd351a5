import { z } from 'zod'
import { Metrics } from './metrics.js'

/** Maximum number of jobs per request for curves. */
export const MAX_CURVE_JOBS = 20

const Values = z.array(z.number().nullable())
const BatchPlace = z.object({ epoch: z.int(), batch: z.int() })

/** One series over the buckets of a curve; null if a bucket contains no value. */
export const SeriesColumns = z
  .object({ mean: Values, min: Values, max: Values, last: Values })
  .meta({ id: 'SeriesColumns' })

export const MetricSeries = z
  .object({
    job_id: z.uuid(),
    continued: z
      .array(
        z.object({
          job_id: z.uuid().meta({ description: 'The job that continues' }),
          resumed_from: z.uuid(),
          epoch: z.int().meta({ description: 'Last epoch before the continuation' }),
          step: z.number().nullable().meta({
            description: 'Last batch before the continuation, counted from the start of the training',
          }),
        }),
      )
      .meta({
        description: 'Points at which resumed jobs continued the training, in order; empty without `lineage`',
      }),
    epochs: z.array(
      z.object({
        epoch: z.int(),
        step: z.number().nullable().meta({
          description: 'Total number of batches of the training; null before the first report',
        }),
        seconds: z.number(),
        metrics: Metrics,
      }),
    ),
    batches: z
      .object({
        step: z.array(z.number()),
        loss: z.array(z.number().nullable()),
        loss_min: z.array(z.number().nullable()),
        loss_max: z.array(z.number().nullable()),
        learning_rate: z.array(z.number().nullable()),
        samples_per_second: z.array(z.number().nullable()),
        ranges: z
          .array(z.object({ points: z.int(), first: BatchPlace, last: BatchPlace }))
          .meta({ description: 'Range of each bucket: number of progress messages, first and last step' }),
        series: z
          .record(z.string(), SeriesColumns)
          .meta({ description: 'Metrics of the progress messages, by name' }),
      })
      .meta({
        description:
          'Progress messages, aggregated in at most `buckets` buckets. loss, learning_rate and samples_per_second are means; step is the number of batches from the start of the training to the end of a bucket',
      }),
  })
  .meta({ id: 'MetricSeries' })
export type MetricSeries = z.infer<typeof MetricSeries>

const step = z.coerce.number().min(0).optional()

/** Query of a route that returns the curves of a window. */
export const curveWindow = {
  from: step.meta({ description: 'First step of the window, in batches from the start of the training' }),
  to: step.meta({ description: 'Last step of the window' }),
  buckets: z.coerce.number().int().min(1).max(5000).default(500).meta({
    description:
      'Maximum number of points. If the window has enough points, more than half of this number are returned',
  }),
}

/** Names or ids separated by commas. */
export const commaSeparated = (text: z.ZodString) =>
  text.transform((names) => names.split(',').filter((name) => name !== ''))

export const curveQuery = {
  ...curveWindow,
  series: commaSeparated(z.string().max(10_000))
    .optional()
    .meta({ description: 'Comma-separated names. Default: all series' }),
  lineage: z.enum(['true', 'false']).default('false').meta({
    description:
      'true: include the jobs that the job continues. For repeated epochs, the later values are returned',
  }),
}
