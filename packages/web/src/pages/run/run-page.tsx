import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { JobStatusBadge } from '../../components/job-status-badge'
import { PageHeader } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { Tabs } from '../../components/tabs'
import { Tags } from '../../components/tags'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { run as text } from '../../text/run'
import { useText } from '../../text/use-text'
import { Actions } from './actions'
import { Checkpoints } from './checkpoints'
import { Configuration } from './configuration'
import { Curves } from './curves'
import { Events } from './events'
import { FailureNotice, JobSummary, StallNotice } from './job-summary'
import { useLiveJob } from './live-job'
import { Log } from './log'
import styles from './run-page.module.css'
import { TABS } from './search'

const route = getRouteApi('/runs/$jobId')

/** Page of one training: its current state, its results, and its inputs. */
export function RunPage() {
  const { jobId } = route.useParams()
  const job = useQuery(routeQuery('getJobStatus', { job_id: jobId }))
  useLiveJob(job.data)
  if (job.isError) return <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />
  if (!job.data) return <Skeleton height={30} />
  return (
    <>
      <PageHeader
        title={job.data.job_name}
        lead={
          <div className={styles.lead}>
            <JobStatusBadge status={job.data.status} />
            <Tags tags={job.data.tags} />
            {job.data.note !== '' && <p className={styles.note}>{job.data.note}</p>}
          </div>
        }
      >
        <Actions job={job.data} />
      </PageHeader>
      <div className={styles.page}>
        <FailureNotice job={job.data} />
        <StallNotice job={job.data} />
        <JobSummary job={job.data} />
        <JobsProvenance ids={[jobId]} />
        <Views jobId={jobId} />
      </div>
    </>
  )
}

/** Memoized, because the rest of the page updates with every batch. */
const Views = memo(function Views({ jobId }: { readonly jobId: string }) {
  const t = useText(text)
  const { tab = 'curves' } = route.useSearch()
  const navigate = route.useNavigate()
  const tabs = useMemo(() => {
    const content = {
      curves: () => <Curves jobId={jobId} />,
      log: () => <Log jobId={jobId} />,
      events: () => <Events jobId={jobId} />,
      checkpoints: () => <Checkpoints jobId={jobId} />,
      configuration: () => <Configuration jobId={jobId} />,
    }
    return TABS.map((id) => ({ id, title: t(`tab.${id}`), content: content[id] }))
  }, [jobId, t])
  return (
    <Tabs
      label={t('tabs')}
      tabs={tabs}
      open={tab}
      onOpen={(id) =>
        void navigate({ search: (before) => ({ ...before, tab: id }), replace: true, resetScroll: false })
      }
    />
  )
})
