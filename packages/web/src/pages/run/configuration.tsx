import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { stringify } from 'yaml'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { CopyButton } from '../../components/copy-button'
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={styles.log} tabIndex={0} aria-label={t('tab.configuration')}>
        <pre>{yaml}</pre>
      </section>
    </>
  )
}
