import { useQuery } from '@tanstack/react-query'
import { epochCurve } from './epoch-curves'
import styles from './sparkline.module.css'
import { HEIGHT, sparklinePath, WIDTH } from './sparkline-path'

const METRIC = 'val_loss'

/** Validation loss of a training over its epochs, to compare the shapes between rows; the other columns contain the numbers. */
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
