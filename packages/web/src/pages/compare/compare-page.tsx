import { useQueries } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useDeferredValue } from 'react'
import { useRefresh } from '../../app/live'
import { routeQuery } from '../../app/service'
import { parseCurveSettings, useWindow } from '../../charts/curve-settings'
import { Button, LinkButton } from '../../components/button'
import { JobStatusBadge } from '../../components/job-status-badge'
import { EmptyState, PageHeader, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { compare as text } from '../../text/compare'
import { useText } from '../../text/use-text'
import styles from './compare.module.css'
import { ConfigDifferences } from './config-differences'
import { Metrics } from './metrics'
import { OverlaidCurves } from './overlaid-curves'
import { PairedComparison } from './paired-comparison'
import type { CompareSearch } from './search'
import { useCurves } from './use-curves'
import type { CompareViewProps } from './view-props'

const route = getRouteApi('/compare')
const NONE: readonly string[] = []

/** Comparison of trainings: different settings, metrics, curves, and two of their models on the same cases. */
export function ComparePage() {
  const t = useText(text)
  const ids = route.useSearch({ select: ({ jobs }) => jobs, structuralSharing: true }) ?? NONE
  const { jobs, errors, isPending } = useJobs(ids)
  const window = useWindow(route.useSearch({ select: parseCurveSettings, structuralSharing: true }))
  const { isPending: isWaiting } = useCurves(ids, window)
  // Rendered after the curves above it, whose number is not known in advance: otherwise its button would move away from the pointer.
  const isReady = useDeferredValue(!isWaiting, false)
  const navigate = route.useNavigate()
  const change = useCallback(
    (changes: Partial<CompareSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  )
  return (
    <>
      <PageHeader title={t('title')} lead={ids.length > 0 && t('lead', { count: ids.length })} />
      <div className={styles.page}>
        {ids.length === 0 && (
          <EmptyState title={t('empty.title')}>
            <LinkButton icon="runs" to="/runs">
              {t('empty.runs')}
            </LinkButton>
          </EmptyState>
        )}
        {errors.map((error) => (
          <Problem key={error.message} error={error} />
        ))}
        {isPending && ids.length > 0 && <Skeleton height={30} />}
        {jobs.length > 0 && !isPending && (
          <>
            <ComparedJobs jobs={jobs} onChange={change} />
            <JobsProvenance ids={jobs.map(({ job_id }) => job_id)} />
            <Panel title={t('metrics.title')}>
              <Metrics jobs={jobs} />
            </Panel>
            <ConfigDifferences jobs={jobs} onChange={change} />
            <OverlaidCurves jobs={jobs} onChange={change} />
            <Panel title={t('cases.title')}>
              {isReady && <PairedComparison jobs={jobs} onChange={change} />}
            </Panel>
          </>
        )}
      </div>
    </>
  )
}

/** Compared trainings with the colors of their curves; each can be removed. */
function ComparedJobs({ jobs, onChange }: CompareViewProps) {
  const t = useText(text)
  return (
    <ul className={styles.chosen} aria-label={t('jobs.title')}>
      {jobs.map(({ job_id, job_name, status }, index) => (
        <li key={job_id} className={styles.job} data-color={(index % 7) + 1}>
          <Link to="/runs/$jobId" params={{ jobId: job_id }} className={styles.name}>
            {job_name}
          </Link>
          <JobStatusBadge status={status} />
          <Button
            kind="quiet"
            icon="close"
            aria-label={t('jobs.remove', { name: job_name })}
            onPress={() =>
              onChange({
                jobs: jobs.map((job) => job.job_id).filter((id) => id !== job_id),
                task: undefined,
                comparison: undefined,
              })
            }
          />
        </li>
      ))}
    </ul>
  )
}

function useJobs(ids: readonly string[]) {
  const refetchInterval = useRefresh()
  return useQueries({
    queries: ids.map((job_id) => ({ ...routeQuery('getJobStatus', { job_id }), refetchInterval })),
    combine: (results) => ({
      jobs: results.flatMap(({ data }) => data ?? []),
      errors: results.flatMap(({ error }) => error ?? []),
      isPending: results.some(({ isPending }) => isPending),
    }),
  })
}
