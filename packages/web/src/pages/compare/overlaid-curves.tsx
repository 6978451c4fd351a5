import type { RouteResponse } from '@medloom/contracts'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { align } from '../../charts/align'
import type { Window } from '../../charts/axis-range'
import { CurveControls } from '../../charts/curve-controls'
import { type Curve, CurveList } from '../../charts/curve-list'
import { parseCurveSettings, useWindow } from '../../charts/curve-settings'
import { smooth } from '../../charts/smooth'
import { ErrorNotice } from '../../components/boundary'
import { EmptyState, Panel } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { compare as text } from '../../text/compare'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import styles from './compare.module.css'
import { jobNames } from './job-names'
import { useCurves } from './use-curves'
import type { CompareViewProps } from './view-props'

const route = getRouteApi('/compare')
type JobCurves = RouteResponse<'listJobMetrics'>['curves'][number]

/** One chart per metric with a line per training; dragging zooms all charts. */
export function OverlaidCurves({ jobs, onChange }: CompareViewProps) {
  const search = route.useSearch({ select: parseCurveSettings, structuralSharing: true })
  const t = useText(text)
  const { log = false, smooth: weight = 0 } = search
  const [asTable, setAsTable] = useState(false)
  const window = useWindow(search)
  const query = useCurves(
    jobs.map(({ job_id }) => job_id),
    window,
  )
  const names = useMemo(() => jobNames(jobs), [jobs])
  const nameOf = useMetricNames()
  const curves = useMemo(
    () => (query.data ? curvesIn(query.data.curves, names, nameOf, weight) : []),
    [query.data, names, nameOf, weight],
  )
  const show = (next: Window | undefined) => onChange({ from: next?.from, to: next?.to })
  return (
    <Panel title={t('curves.title')} height={24}>
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={24} />}
      {query.isSuccess && curves.length === 0 && <EmptyState title={t('curves.none')} />}
      {curves.length > 0 && (
        <div className={styles.curves}>
          <CurveControls settings={search} onChange={onChange} asTable={asTable} onTable={setAsTable} />
          <div className={styles.charts}>
            <CurveList curves={curves} asTable={asTable} logarithmic={log} window={window} onWindow={show} />
          </div>
        </div>
      )}
    </Panel>
  )
}

/** Grouped by metric: epoch metrics first, validation before training, then batch metrics. */
function curvesIn(
  jobs: readonly JobCurves[],
  names: readonly string[],
  nameOf: ReturnType<typeof useMetricNames>,
  weight: number,
): Curve[] {
  const epochMetrics = new Set(
    jobs.flatMap(({ epochs }) => epochs.flatMap(({ metrics }) => Object.keys(metrics))),
  )
  const batchMetrics = new Set(jobs.flatMap(({ batches }) => Object.keys(batches.series)))
  const byEpoch = [...epochMetrics]
    .filter((name) => !batchMetrics.has(name))
    .map((name) => {
      const series = jobs.map(({ epochs }) => ({
        steps: epochs.map(({ step, epoch }) => step ?? epoch),
        values: epochs.map(({ metrics }) => metrics[name] ?? null),
      }))
      return curveOf(nameOf(name), series, names)
    })
  const byBatch = [...batchMetrics].map((name) => {
    const series = jobs.map(({ batches }) => {
      const mean = batches.series[name]?.mean
      return mean ? { steps: batches.step, values: smooth(mean, weight) } : { steps: [], values: [] }
    })
    return curveOf(nameOf(name, 'batch'), series, names)
  })
  return [...byEpoch, ...byBatch].filter(({ lines }) =>
    lines.some(({ values }) => values.some((value) => typeof value === 'number')),
  )
}

function curveOf(title: string, series: Parameters<typeof align>[0], names: readonly string[]): Curve {
  const { steps, values } = align(series)
  return { title, steps, lines: values.map((line, index) => ({ name: names[index] ?? '', values: line })) }
}
