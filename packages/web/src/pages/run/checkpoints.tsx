import { useQuery } from '@tanstack/react-query'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Empty } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

/** What a training saved, and how good it was then. */
export function Checkpoints({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const figures = useFigures()
  const query = useQuery(read('listJobCheckpoints', { job_id: jobId }))
  if (query.isError) return <Broken error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={8} />
  const { checkpoints } = query.data
  if (checkpoints.length === 0) return <Empty title={t('checkpoint.empty')} />
  const names = ['val_auc', 'val_loss'].filter((name) => checkpoints.some(({ metrics }) => name in metrics))
  return (
    <PlainTable
      label={t('tab.checkpoints')}
      head={[
        t('checkpoint.name'),
        t('checkpoint.epoch'),
        ...names,
        t('checkpoint.size'),
        t('checkpoint.saved'),
      ]}
      rows={checkpoints.map(({ name, epoch, metrics, size_bytes, created_at }) => ({
        key: name,
        cells: [
          name,
          epoch,
          ...names.map((metric) => figures.metric(metrics[metric])),
          figures.bytes(size_bytes),
          figures.moment(created_at),
        ],
      }))}
    />
  )
}
