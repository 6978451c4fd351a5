import { EPOCH_SUMMARY } from '@medloom/contracts/plain'
import { usePages } from '../../app/pages'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

/** Checkpoints of a training with their metrics. */
export function Checkpoints({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const format = useFormatters()
  const list = usePages('listJobCheckpoints', 'checkpoints', { job_id: jobId }, { furtherSize: 200 })
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (!list.first) return <Skeleton height={8} />
  const checkpoints = list.items
  if (checkpoints.length === 0) return <EmptyState title={t('checkpoint.empty')} />
  const names = EPOCH_SUMMARY.filter((name) => checkpoints.some(({ metrics }) => name in metrics))
  return (
    <>
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
            ...names.map((metric) => format.metric(metrics[metric])),
            format.bytes(size_bytes),
            format.moment(created_at),
          ],
        }))}
      />
      {list.hasNextPage && <Button onPress={list.more}>{t('checkpoint.more')}</Button>}
    </>
  )
}
