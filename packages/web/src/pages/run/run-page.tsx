import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { JobState } from '../../components/job-status'
import { PageHead } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { Tabs } from '../../components/tabs'
import { Tags } from '../../components/tags'
import { WhereFromJobs } from '../../origin/origin-of-jobs'
import { run as text } from '../../text/run'
import { useText } from '../../text/use-text'
import { Actions } from './actions'
import { Checkpoints } from './checkpoints'
import { Configuration } from './configuration'
import { Curves } from './curves'
import { Events } from './events'
import { Facts, Failure, Stall } from './facts'
import { useLiveJob } from './live-job'
import { Log } from './log'
import styles from './run-page.module.css'
import { TABS } from './search'

const route = getRouteApi('/runs/$jobId')

/** Page of one training: its current state, its results, and its inputs. */
export function RunPage() {
  const { jobId } = route.useParams()
  const job = useQuery(read('getJobStatus', { job_id: jobId }))
  useLiveJob(job.data)
  if (job.isError) return <Broken error={job.error} onRetry={() => void job.refetch()} />
  if (!job.data) return <Skeleton height={30} />
  return (
    <>
      <PageHead
        title={job.data.job_name}
        lead={
          <div className={styles.lead}>
            <JobState status={job.data.status} />
            <Tags tags={job.data.tags} />
            {job.data.note !== '' && <p className={styles.note}>{job.data.note}</p>}
          </div>
        }
      >
        <Actions job={job.data} />
      </PageHead>
      <div className={styles.page}>
        <Failure job={job.data} />
        <Stall job={job.data} />
        <Facts job={job.data} />
        <WhereFromJobs ids={[jobId]} />
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
