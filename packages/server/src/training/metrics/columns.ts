import type { SeriesColumns } from '@medloom/contracts'
import type { z } from 'zod'
import type { Bucket, Summary } from './metric-levels.js'

/** One value per bucket; null if the bucket has no value of the series. */
export function column(
  buckets: readonly Pick<Bucket, 'series'>[],
  name: string,
  value: (summary: Summary) => number,
): (number | null)[] {
  return buckets.map(({ series }) => (series[name] ? value(series[name]) : null))
}

export const mean = ({ sum, count }: Summary) => sum / count

/** Values of every named series over the buckets. */
export function columnsOf<Name extends string>(
  buckets: readonly Pick<Bucket, 'series'>[],
  names: readonly Name[],
): Record<Name, z.infer<typeof SeriesColumns>> {
  const columns = names.map((name) => [
    name,
    {
      mean: column(buckets, name, mean),
      min: column(buckets, name, ({ min }) => min),
      max: column(buckets, name, ({ max }) => max),
      last: column(buckets, name, ({ last }) => last),
    },
  ])
  return Object.fromEntries(columns)
}
