import { EPOCH_SUMMARY } from '@medloom/contracts/plain'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRefresh } from '../../app/live'
import { routeQuery } from '../../app/service'
import { LinkButton } from '../../components/button'
import { JobStatusBadge } from '../../components/job-status-badge'
import { EmptyState, PageHeader, Panel } from '../../components/panel'
import { Progress } from '../../components/progress'
import { ErrorText } from '../../components/service-text'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { useFormatters } from '../../text/formatters'
import { home } from '../../text/home'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import { FirstSteps } from './first-steps'
import styles from './home-page.module.css'
import { Machine } from './machine'
import { JOB_QUERIES } from './queries'

/** Running trainings, recent results, recent failures, and the machine. */
export function HomePage() {
  const t = useText(home)
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')}>
        <LinkButton kind="primary" icon="train" to="/train">
          {t('start.training')}
        </LinkButton>
      </PageHeader>
      <div className={styles.page}>
        <GettingStarted />
        <Panel title={t('running.title')} height={6}>
          <Running />
        </Panel>
        <div className={styles.columns}>
          <Panel title={t('ended.title')} height={12}>
            <RecentlyFinished />
          </Panel>
          <Panel title={t('failed.title')} height={12}>
            <RecentFailures />
          </Panel>
        </div>
        <Panel title={t('machine.title')} height={6}>
          <Machine />
        </Panel>
      </div>
    </>
  )
}

/** Shown first until the first training is started. */
function GettingStarted() {
  const t = useText(home)
  const { data } = useQuery({ ...routeQuery('listJobs', JOB_QUERIES.all), refetchInterval: useRefresh() })
  if (!data || data.total > 0) return null
  return (
    <Panel title={t('first.title')} height={6}>
      <FirstSteps />
    </Panel>
  )
}

function Running() {
  const t = useText(home)
  const format = useFormatters()
  const { data } = useSuspenseQuery({
    ...routeQuery('listJobs', JOB_QUERIES.running),
    refetchInterval: useRefresh(),
  })
  if (data.jobs.length === 0) return <EmptyState title={t('running.empty')} />
  return (
    <ul className={styles.list}>
      {data.jobs.map((job) => (
        <Item
          key={job.job_id}
          id={job.job_id}
          name={job.job_name}
          state={<JobStatusBadge status={job.status} />}
        >
          <Progress
            label={job.job_name}
            value={job.status === 'running' && job.total_epochs > 0 ? job.epoch / job.total_epochs : null}
          />
          <span className={styles.soft}>
            {job.queue_position === null
              ? t('epoch', { epoch: job.epoch, total: job.total_epochs })
              : t('queue', { position: job.queue_position })}
            {job.eta_seconds !== null && ` · ${t('left', { time: format.duration(job.eta_seconds) })}`}
          </span>
        </Item>
      ))}
    </ul>
  )
}

function RecentlyFinished() {
  const t = useText(home)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const { data } = useSuspenseQuery({
    ...routeQuery('listJobs', JOB_QUERIES.ended),
    refetchInterval: useRefresh(),
  })
  if (data.jobs.length === 0) return <EmptyState title={t('ended.empty')} />
  return (
    <>
      <ul className={styles.list}>
        {data.jobs.map((job) => (
          <Item
            key={job.job_id}
            id={job.job_id}
            name={job.job_name}
            state={<JobStatusBadge status={job.status} />}
          >
            <span className={styles.soft}>
              {headline(job.best?.metrics ?? job.metrics)
                .map(([name, value]) => `${nameOf(name)} ${format.metric(value)}`)
                .join(' · ')}
            </span>
          </Item>
        ))}
      </ul>
      <JobsProvenance ids={data.jobs.map(({ job_id }) => job_id)} />
    </>
  )
}

function RecentFailures() {
  const t = useText(home)
  const { data } = useSuspenseQuery({
    ...routeQuery('listJobs', JOB_QUERIES.failed),
    refetchInterval: useRefresh(),
  })
  if (data.jobs.length === 0) return <EmptyState title={t('failed.empty')} />
  return (
    <ul className={styles.list}>
      {data.jobs.map((job) => (
        <Item
          key={job.job_id}
          id={job.job_id}
          name={job.job_name}
          state={<JobStatusBadge status={job.status} />}
        >
          <span>
            {job.error && (
              <ErrorText
                code={job.error.code}
                english={job.error.message}
                phrases={job.error.message_phrases}
              />
            )}
          </span>
          <span className={styles.code}>{job.error?.code}</span>
        </Item>
      ))}
    </ul>
  )
}

function Item({
  id,
  name,
  state,
  children,
}: {
  readonly id: string
  readonly name: string
  readonly state: ReactNode
  readonly children: ReactNode
}) {
  return (
    <li className={styles.item}>
      <div className={styles.line}>
        <Link to="/runs/$jobId" params={{ jobId: id }} className={styles.name}>
          {name}
        </Link>
        {state}
      </div>
      {children}
    </li>
  )
}

/** Main metrics, as far as they are available. */
function headline(metrics: Readonly<Record<string, number | null>>): [string, number][] {
  return EPOCH_SUMMARY.flatMap((name) => {
    const value = metrics[name] ?? null
    return value === null ? [] : [[name, value] as [string, number]]
  })
}
