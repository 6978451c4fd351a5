import { isOfTask, PRIMARY_METRIC, SMALL_CELL } from '@medloom/contracts/plain'
import { Button } from '../../components/button'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { useServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { Value } from './metrics-panel'
import styles from './model-page.module.css'
import { type EvaluationViewProps, type Result, showCases } from './view-props'

type Subgroup = Result['subgroups'][number]
const MAX_METRICS = 4

/** Performance in subgroups of patients. A group links to its cases. */
export function Subgroups(props: EvaluationViewProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const nameOf = useMetricNames()
  const { task, metrics, subgroups } = props.document.result
  if (subgroups.length === 0) return <EmptyState title={t('subgroups.empty')} />
  const names = Object.keys(metrics)
    .filter((name) => isOfTask(task, name) && subgroups.some((group) => name in group.metrics))
    .sort((a, b) => Number(b === PRIMARY_METRIC[task]) - Number(a === PRIMARY_METRIC[task]))
    .slice(0, MAX_METRICS)
  const first = names.find((name) => subgroups.every((group) => isShare(spanOf(group, name))))
  return (
    <PlainTable
      label={t('subgroups.title')}
      head={[
        t('subgroups.group'),
        t('threshold.cases'),
        ...(first === undefined ? [] : [t('subgroups.drawn', { metric: nameOf(first) })]),
        ...names.map((name) => t('subgroups.metric', { metric: nameOf(name) })),
      ]}
      rows={subgroups.map((group) => ({
        key: `${group.column}=${group.group}`,
        cells: [
          <Button
            key="show"
            kind="quiet"
            onPress={() => showCases(props, { group: `${group.column}=${group.group}` })}
          >
            {`${group.column}: ${group.group}`}
          </Button>,
          group.cases === null ? t('subgroups.withheld', { least: SMALL_CELL }) : format.count(group.cases),
          ...(first === undefined
            ? []
            : [<Whisker key="drawn" {...spanOf(group, first)} all={metrics[first]} />]),
          ...names.map((name) => (
            <span key={name}>
              <Value
                value={group.metrics[name] ?? null}
                reason={
                  (group.reason === null ? null : textOf(group.reason, group.reason_phrases)) ??
                  (group.withheld ? t('subgroups.withheld', { least: SMALL_CELL }) : null)
                }
                format={format}
              />{' '}
              <span className={styles.soft}>
                {group.intervals?.[name] &&
                  format.range(group.intervals[name].low, group.intervals[name].high)}
              </span>
            </span>
          )),
        ],
      }))}
    />
  )
}

function spanOf({ metrics, intervals }: Subgroup, name: string) {
  const interval = intervals?.[name]
  return { value: metrics[name] ?? null, low: interval?.low ?? null, high: interval?.high ?? null }
}

function isShare(span: ReturnType<typeof spanOf>): boolean {
  return Object.values(span).every((number) => number === null || (number >= 0 && number <= 1))
}

const [WIDTH, HEIGHT] = [140, 20]

/** Interval on a scale from 0 to 1, next to that of all cases. The numbers are in the same row. */
function Whisker({
  value,
  low,
  high,
  all,
}: {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
  readonly all: number | null | undefined
}) {
  if (value === null) return null
  const x = (share: number) => 4 + share * (WIDTH - 8)
  return (
    <svg className={styles.whisker} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.scale} d={`M${x(0)} ${HEIGHT / 2}H${x(1)}`} />
      {typeof all === 'number' && <path className={styles.all} d={`M${x(all)} 2V${HEIGHT - 2}`} />}
      {low !== null && high !== null && (
        <path className={styles.span} d={`M${x(low)} ${HEIGHT / 2}H${x(high)}`} />
      )}
      <circle className={styles.value} cx={x(value)} cy={HEIGHT / 2} r="4" />
    </svg>
  )
}
