import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { stringify } from 'yaml'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { CopyButton } from '../../components/copy-button'
import { Skeleton } from '../../components/skeleton'
import { TextBlock } from '../../components/text-block'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

/** Complete configuration of a training including defaults, as YAML. */
export function Configuration({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const query = useQuery(routeQuery('getJobStatus', { job_id: jobId }))
  const yaml = useMemo(() => (query.data ? stringify(query.data.config) : ''), [query.data])
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={20} />
  return (
    <>
      <p>
        <CopyButton text={yaml}>{t('configuration.copy')}</CopyButton>
      </p>
      <TextBlock label={t('tab.configuration')} text={yaml} />
    </>
  )
}
