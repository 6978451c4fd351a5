import type { Job, RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { routeQuery } from '../../app/service'
import type { Window } from '../../charts/axis-range'
import type { Line } from '../../charts/curve-chart'
import { type Curve, CurveList } from '../../charts/curve-list'
import { ErrorNotice } from '../../components/boundary'
import { ServiceText } from '../../components/service-text'
import { RESOURCES_POLL_MILLISECONDS } from '../../durations'
import { run } from '../../text/run'
import { type Translate, useText } from '../../text/use-text'
import styles from './curves.module.css'

const BUCKETS = 600

/** Resource usage of the training over the steps of its curves. */
export function Resources({
  jobId,
  window,
  shown,
  asTable,
  onWindow,
}: {
  readonly jobId: string
  /** Step range of the request; undefined: all steps. */
  readonly window: Window | undefined
  /** Step range of the curves above. */
  readonly shown: Window | undefined
  readonly asTable: boolean
  readonly onWindow: (window: Window | undefined) => void
}) {
  const t = useText(run)
  // Only the status is selected, because the rest of the record changes with every batch.
  const { data: status } = useQuery({
    ...routeQuery('getJobStatus', { job_id: jobId }),
    select: (job: Job) => job.status,
  })
  const { data, isError, error, refetch } = useQuery({
    ...routeQuery('getJobResources', { job_id: jobId, buckets: BUCKETS, ...window }),
    placeholderData: keepPreviousData,
    refetchInterval: status === 'running' ? RESOURCES_POLL_MILLISECONDS : false,
  })
  useEffect(() => {
    if (status === undefined || status === 'running') return
    void refetch()
    // The last measurements are read shortly after the training has ended.
    const timer = setTimeout(() => void refetch(), RESOURCES_POLL_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [status, refetch])
  // The lines stay the same until there are new measurements, so that charts are not drawn again.
  const curves = useMemo(() => (data ? curvesIn(data, t) : []), [data, t])
  if (isError) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data || data.step.length === 0) return null
  return (
    <>
      <h3 className={styles.subtitle}>{t('resources.title')}</h3>
      <CurveList curves={curves} asTable={asTable} window={window ?? shown} onWindow={onWindow} />
      {[...new Set(Object.values(data.reasons))].map((reason) => (
        <p key={reason} className={styles.hint}>
          <ServiceText english={reason} />
        </p>
      ))}
    </>
  )
}

type Measured = RouteResponse<'getJobResources'>
type Name = keyof Measured['series']

/** Series with the same unit share a chart; a series without measurements has no chart. */
function curvesIn({ series, step: steps }: Measured, t: Translate<(typeof run)['en']>): Curve[] {
  const line = (name: Name, words: string, unit = 1): Line[] => {
    const values = series[name]?.mean.map((value) => (value === null ? null : value / unit)) ?? []
    return values.some((value) => value !== null) ? [{ name: words, values }] : []
  }
  const curves = [
    {
      title: t('resources.load'),
      steps,
      lines: [...line('cpu_percent', t('resources.processor')), ...line('gpu_percent', t('resources.gpu'))],
    },
    {
      title: t('resources.memory'),
      steps,
      lines: [
        ...line('memory_bytes', t('resources.machine'), 1e9),
        ...line('gpu_memory_bytes', t('resources.gpu'), 1e9),
      ],
    },
    {
      title: t('resources.disk'),
      steps,
      lines: [
        ...line('disk_read_bytes_per_second', t('resources.read'), 1e6),
        ...line('disk_written_bytes_per_second', t('resources.written'), 1e6),
      ],
    },
  ]
  return curves.filter(({ lines }) => lines.length > 0)
}
