import type { RouteResponse } from '@medloom/contracts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { read } from '../../app/service'
import { CurveChart, type Line, type Window } from '../../charts/curve-chart'
import { CurveTable } from '../../charts/curve-table'
import { smooth } from '../../charts/smooth'
import { Broken } from '../../components/boundary'
import { Button } from '../../components/button'
import { Checkbox } from '../../components/field'
import { Empty } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { Slider } from '../../components/slider'
import { run } from '../../text/run'
import { type Say, useText } from '../../text/use-text'
import styles from './curves.module.css'
import type { RunSearch } from './search'

type Series = RouteResponse<'getJobMetrics'>
const route = getRouteApi('/runs/$jobId')
const BUCKETS = 600

/** The curves of a training: losses together, every other metric on its own, all over the same steps. */
export function Curves({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const { from, to, log = false, smooth: weight = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const [asTable, setAsTable] = useState(false)
  const window = useMemo(
    () => (from === undefined || to === undefined ? undefined : { from, to }),
    [from, to],
  )
  const query = useQuery({
    ...read('getJobMetrics', { job_id: jobId, lineage: 'true', buckets: BUCKETS, ...window }),
    placeholderData: keepPreviousData,
  })
  const charts = useMemo(() => (query.data ? chartsOf(query.data, t, weight) : []), [query.data, t, weight])
  const change = (changes: Partial<RunSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false })
  const show = (next: Window | undefined) => change({ from: next?.from, to: next?.to })
  if (query.isError) return <Broken error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={24} />
  if (charts.length === 0) return <Empty title={t('curves.empty')} />
  return (
    <div className={styles.curves}>
      <div className={styles.bar}>
        <Slider
          label={t('curves.smoothing')}
          value={weight}
          max={0.95}
          step={0.05}
          onChange={(value) => change({ smooth: value === 0 ? undefined : value })}
        />
        <Checkbox isSelected={log} onChange={(on) => change({ log: on ? true : undefined })}>
          {t('curves.log')}
        </Checkbox>
        <Button kind="quiet" onPress={() => setAsTable(!asTable)}>
          {t(asTable ? 'curves.chart' : 'curves.table')}
        </Button>
        {window && (
          <Button kind="quiet" icon="close" onPress={() => show(undefined)}>
            {t('curves.whole')}
          </Button>
        )}
        <span className={styles.hint}>{t('curves.hint')}</span>
      </div>
      {charts.map(({ title, steps, lines }) =>
        asTable ? (
          <CurveTable key={title} title={title} steps={steps} lines={lines} />
        ) : (
          <CurveChart
            key={title}
            title={title}
            steps={steps}
            lines={lines}
            logarithmic={log}
            window={window}
            onWindow={show}
          />
        ),
      )}
      <p className={styles.hint}>{t('curves.axis')}</p>
    </div>
  )
}

interface Chart {
  readonly title: string
  readonly steps: readonly number[]
  readonly lines: readonly Line[]
}

/** Losses of batches, of the training and of the validation in one chart, since they are compared; the rest by name. */
function chartsOf({ batches, epochs }: Series, t: Say<(typeof run)['en']>, weight: number): Chart[] {
  const ofEpochs = new Map<string, (number | null)[]>()
  for (const [index, { metrics }] of epochs.entries())
    for (const [name, value] of Object.entries(metrics)) {
      const values = ofEpochs.get(name) ?? epochs.map(() => null)
      values[index] = value
      ofEpochs.set(name, values)
    }
  const epochSteps = epochs.map(({ step, epoch }) => step ?? epoch)
  const epochNames = [...ofEpochs.keys()].filter((name) =>
    ofEpochs.get(name)?.some((value) => value !== null),
  )
  // What every batch reports is drawn from the batches.
  const ofEpochsOnly = epochNames.filter((name) => !(name in batches.series))
  const losses = ofEpochsOnly.filter((name) => name.endsWith('loss'))
  const charts: Chart[] = []
  if (batches.step.length > 0) charts.push(batchChart(t('curves.batchLoss'), 'loss', batches, weight))
  if (losses.length > 0) charts.push(epochChart(t('curves.loss'), losses))
  for (const name of ofEpochsOnly) if (!losses.includes(name)) charts.push(epochChart(name, [name]))
  for (const name of Object.keys(batches.series))
    if (name !== 'loss') charts.push(batchChart(name, name, batches, weight))
  return charts

  function epochChart(title: string, names: readonly string[]): Chart {
    return {
      title,
      steps: epochSteps,
      lines: names.map((name) => ({ name, values: ofEpochs.get(name) ?? [] })),
    }
  }
}

function batchChart(title: string, name: string, batches: Series['batches'], weight: number): Chart {
  const values = batches.series[name]?.mean ?? []
  const line = weight > 0 ? { name, values: smooth(values, weight), raw: values } : { name, values }
  return { title, steps: batches.step, lines: [line] }
}
