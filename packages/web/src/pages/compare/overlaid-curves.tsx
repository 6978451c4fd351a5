import type { RouteResponse } from '@medloom/contracts'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { align } from '../../charts/align'
import type { Window } from '../../charts/curve-chart'
import { CurveControls } from '../../charts/curve-controls'
import { type Curve, CurveList } from '../../charts/curve-list'
import { curveLook, useWindow } from '../../charts/curve-look'
import { smooth } from '../../charts/smooth'
import { Broken } from '../../components/boundary'
import { Empty, Panel } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { compare as text } from '../../text/compare'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import styles from './compare.module.css'
import type { Compared } from './compared'
import { jobNames } from './job-names'
import { useCurves } from './use-curves'

const route = getRouteApi('/compare')
type OfJob = RouteResponse<'listJobMetrics'>['curves'][number]

/** One chart per metric with a line per training; dragging zooms all charts. */
export function OverlaidCurves({ jobs, onChange }: Compared) {
  const search = route.useSearch({ select: curveLook, structuralSharing: true })
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
      {query.isError && <Broken error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={24} />}
      {query.isSuccess && curves.length === 0 && <Empty title={t('curves.none')} />}
      {curves.length > 0 && (
        <div className={styles.curves}>
          <CurveControls look={search} onLook={onChange} asTable={asTable} onTable={setAsTable} />
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
  jobs: readonly OfJob[],
  names: readonly string[],
  nameOf: ReturnType<typeof useMetricNames>,
  weight: number,
): Curve[] {
  const ofEpochs = new Set(
    jobs.flatMap(({ epochs }) => epochs.flatMap(({ metrics }) => Object.keys(metrics))),
  )
  const ofBatches = new Set(jobs.flatMap(({ batches }) => Object.keys(batches.series)))
  const byEpoch = [...ofEpochs]
    .filter((name) => !ofBatches.has(name))
    .map((name) => {
      const series = jobs.map(({ epochs }) => ({
        steps: epochs.map(({ step, epoch }) => step ?? epoch),
        values: epochs.map(({ metrics }) => metrics[name] ?? null),
      }))
      return curveOf(nameOf(name), series, names)
    })
  const byBatch = [...ofBatches].map((name) => {
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
