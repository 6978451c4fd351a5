import type { RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { routeQuery } from '../../app/service'
import type { Window } from '../../charts/axis-range'
import { CurveControls } from '../../charts/curve-controls'
import { type Curve, CurveList } from '../../charts/curve-list'
import { type CurveSettings, useWindow } from '../../charts/curve-settings'
import { smooth } from '../../charts/smooth'
import { ErrorNotice } from '../../components/boundary'
import { EmptyState } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { metrics } from '../../text/metrics'
import { splitMetric, useMetricNames } from '../../text/metrics/use-metric-names'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'
import styles from './curves.module.css'
import { Resources } from './resources'

type Series = RouteResponse<'getJobMetrics'>
const route = getRouteApi('/runs/$jobId')
const BUCKETS = 600
/** Query for the curves of a training and its predecessors, at the resolution of a chart. */
export const curvesQuery = (job_id: string) => ({ job_id, lineage: 'true' as const, buckets: BUCKETS })

/** Curves of a training: one chart per metric with training and validation, all over the same steps. */
export function Curves({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [asTable, setAsTable] = useState(false)
  const window = useWindow(search)
  const query = useQuery({
    ...routeQuery('getJobMetrics', { ...curvesQuery(jobId), ...window }),
    placeholderData: keepPreviousData,
  })
  const { log = false, smooth: weight = 0 } = search
  const curves = useCurves(query.data, weight)
  const shown = useMemo(() => extentOf(curves), [curves])
  const change = (changes: CurveSettings) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false })
  const zoom = (next: Window | undefined) => change({ from: next?.from, to: next?.to })
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={24} />
  if (curves.length === 0) return <EmptyState title={t('curves.empty')} />
  return (
    <div className={styles.curves}>
      <div className={styles.controls}>
        <CurveControls settings={search} onChange={change} asTable={asTable} onTable={setAsTable}>
          <span className={styles.hint}>{t('curves.hint')}</span>
        </CurveControls>
      </div>
      <CurveList curves={curves} asTable={asTable} logarithmic={log} window={window} onWindow={zoom} />
      <Resources jobId={jobId} window={window} shown={shown} asTable={asTable} onWindow={zoom} />
      <p className={styles.hint}>{t('curves.axis')}</p>
    </div>
  )
}

/** Range of steps shared by the charts; undefined if there are no steps. */
function extentOf(curves: readonly Curve[]): Window | undefined {
  const ends = curves.flatMap(({ steps }) => [steps[0] ?? [], steps.at(-1) ?? []].flat())
  return ends.length < 2 ? undefined : { from: Math.min(...ends), to: Math.max(...ends) }
}

/** Epoch metrics, with training and validation in one chart for comparison, followed by batch metrics. */
function useCurves(series: Series | undefined, weight: number): Curve[] {
  const t = useText(metrics)
  const nameOf = useMetricNames()
  return useMemo(() => {
    if (!series) return []
    const { batches, epochs } = series
    const epochValues = epochColumns(epochs)
    // Metrics reported by every batch are drawn from the batches.
    const names = [...epochValues.keys()].filter((name) => !(name in batches.series))
    const steps = epochs.map(({ step, epoch }) => step ?? epoch)
    const byMetric = new Map<string, string[]>()
    for (const name of names) {
      const [, metric] = splitMetric(name)
      byMetric.set(metric, [...(byMetric.get(metric) ?? []), name])
    }
    const perEpoch = [...byMetric].map(([metric, keys]) => ({
      title: nameOf(keys.length > 1 ? metric : (keys[0] ?? metric)),
      steps,
      lines: keys.map((key) => ({ name: lineName(key), values: epochValues.get(key) ?? [] })),
    }))
    const perBatch = Object.entries(batches.series).map(([name, { mean }]) => {
      const title = nameOf(name, 'batch')
      const line = weight > 0 ? { values: smooth(mean, weight), raw: mean } : { values: mean }
      return { title, steps: batches.step, lines: [{ name: title, ...line }] }
    })
    return [...perEpoch, ...perBatch].filter(({ steps }) => steps.length > 0)
  }, [series, weight, nameOf, t])

  function lineName(key: string): string {
    const [part] = splitMetric(key)
    if (part === undefined) return nameOf(key)
    return t(part === 'val' ? 'of.validation' : 'of.training')
  }
}

/** Values of each metric over the epochs; a metric that was never measured is omitted. */
function epochColumns(epochs: Series['epochs']): Map<string, (number | null)[]> {
  const columns = new Map<string, (number | null)[]>()
  for (const [index, { metrics }] of epochs.entries())
    for (const [name, value] of Object.entries(metrics)) {
      if (value === null) continue
      const values = columns.get(name) ?? epochs.map(() => null)
      values[index] = value
      columns.set(name, values)
    }
  return columns
}
