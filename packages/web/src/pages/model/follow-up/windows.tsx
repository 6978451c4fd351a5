import type { FollowUpEvaluation, FollowUpSeries } from '@medloom/contracts'
import { SMALL_CELL } from '@medloom/contracts/plain'
import { IntervalAxis, IntervalPlot } from '../../../charts/interval-plot'
import { intervalScale } from '../../../charts/interval-scale'
import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { followUp as text } from '../../../text/follow-up'
import { useFormatters } from '../../../text/formatters'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { model as modelText } from '../../../text/model'
import { useText } from '../../../text/use-text'
import { useSeriesName } from './use-series-name'

const NOTHING: Bounds = { estimate: null, low: null, high: null }

interface Bounds {
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
}

interface WindowsProps {
  readonly coverage: FollowUpEvaluation['coverage']
  readonly evaluation: FollowUpEvaluation | null
  readonly metric: string
}

/** The development test set, then each window. */
export function Windows({ coverage, evaluation, metric }: WindowsProps) {
  const t = useText(text)
  const ofModel = useText(modelText)
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
    return found?.withheld ? ofModel('subgroups.withheld', { least: SMALL_CELL }) : null
  }
  const scale = intervalScale([developed, ...windows.map(({ interval }) => interval)])
  const plot = (interval: Bounds) =>
    scale && <IntervalPlot key="plot" scale={scale} {...interval} {...referenceOf(developed)} />
  const value = ({ estimate, low, high }: Bounds) => `${format.metric(estimate)} (${format.range(low, high)})`
  const ofDevelopment = (cases: number) => [
    ...[t('development'), '', format.count(cases)],
    ...[plot(developed), value(developed), ''],
  ]
  return (
    <PlainTable
      label={t('windows')}
      head={[
        t('window'),
        { key: 'predicted', title: t('predicted'), numeric: true },
        { key: 'outcome', title: t('withOutcome'), numeric: true },
        { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
        title,
        t('alarms'),
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
  const nameOf = useSeriesName()
  const found = series.filter(({ windows }) => windows.some((one) => one.window === window && one.alarm))
  return <>{found.map(nameOf).join('; ')}</>
}
