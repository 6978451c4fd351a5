import { useQuery } from '@tanstack/react-query'
import { epochCurve } from './epoch-curves'
import styles from './sparkline.module.css'
import { HEIGHT, sparklinePath, WIDTH } from './sparkline-path'

const METRIC = 'val_loss'

/** The validation loss of a training over its epochs: a shape to compare rows by, its figures stand in the other columns. */
export function Sparkline({ jobId }: { readonly jobId: string }) {
  const { data } = useQuery({
    queryKey: ['listJobMetrics', 'epochs', jobId],
    queryFn: ({ signal }) => epochCurve(jobId, signal),
  })
  const values = data?.epochs.map(({ metrics }) => metrics[METRIC] ?? null) ?? []
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={sparklinePath(values)} />
    </svg>
  )
}
