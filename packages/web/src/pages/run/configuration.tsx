import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { stringify } from 'yaml'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { CopyButton } from '../../components/copy-button'
import { ScrollRegion } from '../../components/scroll-region'
import { Skeleton } from '../../components/skeleton'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'
import styles from './log.module.css'

/** The whole configuration of a training, defaults included, as a file of it would read. */
export function Configuration({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const query = useQuery(read('getJobStatus', { job_id: jobId }))
  const yaml = useMemo(() => (query.data ? stringify(query.data.config) : ''), [query.data])
  if (query.isError) return <Broken error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={20} />
  return (
    <>
      <p>
        <CopyButton text={yaml}>{t('configuration.copy')}</CopyButton>
      </p>
      <ScrollRegion className={styles.log} label={t('tab.configuration')}>
        <pre>{yaml}</pre>
      </ScrollRegion>
    </>
  )
}
