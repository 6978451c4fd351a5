import type { FollowUp, FollowUpEvaluation, FollowUpSeries } from '@medloom/contracts'
import { PRIMARY_METRIC, SMALL_CELL } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { IntervalAxis, IntervalPlot } from '../../charts/interval-plot'
import { intervalScale } from '../../charts/interval-scale'
import { ErrorNotice } from '../../components/boundary'
import { FactList } from '../../components/fact-list'
import { Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { useServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Model } from './use-evaluations'

/** Limit of follow-ups on the page, the newest ones. */
const SHOWN = 5
const NOTHING: Bounds = { estimate: null, low: null, high: null }

interface Bounds {
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Follow-ups of the model: coverage, the main metric by time window, and alarms. Nothing without a follow-up. */
export function FollowUps({ model: { model_id, task } }: { readonly model: Model }) {
  const t = useText(text)
  const list = useQuery(routeQuery('listFollowUps', { model_id, page_size: SHOWN }))
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data || list.data.follow_ups.length === 0) return null
  return (
    <Panel title={t('followUp.title')}>
      {list.data.follow_ups.map((one) => (
        <FollowUpView key={one.follow_up_id} followUp={one} metric={PRIMARY_METRIC[task]} />
      ))}
    </Panel>
  )
}

function FollowUpView({ followUp, metric }: { readonly followUp: FollowUp; readonly metric: string }) {
  const t = useText(text)
  const format = useFormatters()
  const { follow_up_id, name, closed_at, silent, created_at, evaluations } = followUp
  const known = useQuery(routeQuery('getFollowUp', { follow_up_id }))
  const hidden = silent && closed_at === null
  // It fails if the results of a silent follow-up are not for this user.
  const evaluation = useQuery({
    ...routeQuery('getFollowUpEvaluation', { follow_up_id }),
    enabled: !hidden && evaluations > 0,
  })
  if (known.isError) return <ErrorNotice error={known.error} onRetry={() => void known.refetch()} />
  if (!known.data) return <Skeleton height={8} />
  const { coverage } = known.data
  return (
    <section className={styles.page}>
      <h3>{name}</h3>
      <FactList
        facts={[
          [t('followUp.state'), t(closed_at === null ? 'followUp.open' : 'followUp.closed')],
          [t('followUp.since'), format.moment(created_at)],
          [t('followUp.predicted'), format.count(coverage.predicted)],
          [t('followUp.withOutcome'), format.count(coverage.with_outcome)],
        ]}
      />
      <Windows coverage={coverage} evaluation={evaluation.data ?? null} metric={metric} />
      <p className={styles.soft}>
        {evaluation.data
          ? t('followUp.alarmRate', {
              share: format.percent(evaluation.data.alpha),
              evaluations: evaluation.data.evaluations,
            })
          : t(hidden ? 'followUp.hidden' : 'followUp.notEvaluated')}
      </p>
    </section>
  )
}

interface WindowsProps {
  readonly coverage: FollowUpEvaluation['coverage']
  readonly evaluation: FollowUpEvaluation | null
  readonly metric: string
}

/** The test cases of the development, then each window. */
function Windows({ coverage, evaluation, metric }: WindowsProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const title = useMetricNames()(metric)
  const development = evaluation?.development ?? null
  const developed = development?.intervals[metric] ?? NOTHING
  const windows = coverage.windows.map((one) => {
    const found = evaluation?.windows.find(({ group }) => group === String(one.window))
    return { ...one, found, interval: found?.intervals?.[metric] ?? NOTHING }
  })
  const reasonOf = (found: FollowUpEvaluation['windows'][number] | undefined) => {
    if (found?.reason) return textOf(found.reason, found.reason_phrases)
    return found?.withheld ? t('subgroups.withheld', { least: SMALL_CELL }) : null
  }
  const scale = intervalScale([developed, ...windows.map(({ interval }) => interval)])
  const plot = (interval: Bounds) =>
    scale && <IntervalPlot key="plot" scale={scale} {...interval} {...referenceOf(developed)} />
  const value = ({ estimate, low, high }: Bounds) => `${format.metric(estimate)} (${format.range(low, high)})`
  const ofDevelopment = (cases: number) => [
    ...[t('followUp.development'), '', format.count(cases)],
    ...[plot(developed), value(developed), ''],
  ]
  return (
    <PlainTable
      label={t('followUp.windows')}
      head={[
        t('followUp.window'),
        { key: 'predicted', title: t('followUp.predicted'), numeric: true },
        { key: 'outcome', title: t('followUp.withOutcome'), numeric: true },
        { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
        title,
        t('followUp.alarms'),
      ]}
      rows={[
        ...(development ? [{ key: 'development', cells: ofDevelopment(development.num_cases) }] : []),
        ...windows.map(({ window, start, predicted, with_outcome, found, interval }) => ({
          key: String(window),
          cells: [
            `${window}: ${format.moment(start)}`,
            format.count(predicted),
            format.count(with_outcome),
            plot(interval),
            reasonOf(found) ?? value(interval),
            <Alarms key="alarms" series={evaluation?.series ?? []} window={window} />,
          ],
        })),
      ]}
    />
  )
}

/** The value of the development as a line. */
function referenceOf({ estimate }: Bounds): { readonly reference?: number } {
  return estimate === null ? {} : { reference: estimate }
}

function Alarms({ series, window }: { readonly series: readonly FollowUpSeries[]; readonly window: number }) {
  const t = useText(text)
  const found = series.filter(({ windows }) => windows.some((one) => one.window === window && one.alarm))
  const words = found.map(({ kind, name }) =>
    kind === 'numeric' || kind === 'categorical' || kind === 'missing'
      ? t(`followUp.${kind}`, { name: name ?? '' })
      : t(`followUp.${kind}`),
  )
  return <>{words.join('; ')}</>
}
