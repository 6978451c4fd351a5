import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { routeQuery } from '../../app/service'
import { Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { Comparisons } from './comparisons'
import type { Study } from './live-study'
import { Methods } from './methods'
import styles from './study.module.css'
import { Variance } from './variance'
import { Variants } from './variants'

const route = getRouteApi('/studies/$studyId')

/** Results of the variants, significant differences, sources of variance, and the methods. */
export function Results({ study }: { readonly study: Study }) {
  const t = useText(text)
  const metrics = useMemo(() => metricsOf(study), [study])
  const { metric: chosen } = route.useSearch()
  const metric = chosen !== undefined && metrics.includes(chosen) ? chosen : study.metric
  const complete = study.results_path !== null
  const results = useQuery({
    ...routeQuery('getStudyResults', { study_id: study.study_id }),
    enabled: complete,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className={styles.page}>
      <Panel
        title={t('variants.title')}
        actions={metrics.length > 1 && <MetricChoice study={study} metrics={metrics} metric={metric} />}
      >
        <Variants study={study} results={results.data} metric={metric} />
      </Panel>
      {results.isError && <Problem error={results.error} />}
      {results.data && (
        <>
          <Panel title={t('comparisons.title')}>
            <Comparisons results={results.data} metric={metric} />
          </Panel>
          <Panel title={t('variance.title')}>
            <Variance results={results.data} />
          </Panel>
          <Panel title={t('methods.title')}>
            <Methods results={results.data} />
          </Panel>
        </>
      )}
    </div>
  )
}

function MetricChoice({
  study,
  metrics,
  metric,
}: {
  readonly study: Study
  readonly metrics: readonly string[]
  readonly metric: string
}) {
  const t = useText(text)
  const nameOf = useMetricNames()
  const navigate = route.useNavigate()
  return (
    <Select
      label={t('variants.metric')}
      hideLabel
      choices={metrics.map((value) => ({ value, label: nameOf(value) }))}
      value={metric}
      onChange={(value) =>
        void navigate({
          search: (before) => ({ ...before, metric: value === study.metric ? undefined : value }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  )
}

/** Metrics with a value in any variant, that of the study first. */
function metricsOf({ variants, metric }: Study): readonly string[] {
  const measured = variants.flatMap(({ metrics }) =>
    Object.entries(metrics).flatMap(([name, { mean, estimate }]) =>
      mean === null && estimate === null ? [] : [name],
    ),
  )
  return [...new Set([metric, ...measured])]
}
