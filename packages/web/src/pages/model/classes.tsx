import { useMemo } from 'react'
import { Button } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { type EvaluationViewProps, type Result, shownClass } from './view-props'

type PerClass = NonNullable<Result['per_class']>[number]
const MAX_METRICS = 5

/** Each class against the rest, or each label separately. Charts show the selected one. */
export function Classes(props: EvaluationViewProps) {
  const { document, change } = props
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const chosen = shownClass(props)
  const rows = document.result.per_class ?? []
  const columns = useMemo((): Column<PerClass>[] => {
    const names = Object.keys(rows[0]?.metrics ?? {}).slice(0, MAX_METRICS)
    return [
      {
        id: 'name',
        title: t('classes.name'),
        cell: ({ name }) => (
          <Button kind="quiet" aria-pressed={name === chosen} onPress={() => change({ class: name })}>
            {name === chosen ? t('classes.drawn', { name }) : name}
          </Button>
        ),
      },
      { id: 'cases', title: t('threshold.cases'), numeric: true, cell: ({ cases }) => format.count(cases) },
      ...names.map((name) => ({
        id: name,
        title: nameOf(name),
        numeric: true,
        cell: ({ metrics, intervals }: PerClass) => {
          const { low = null, high = null } = intervals[name] ?? {}
          const value = format.metric(metrics[name])
          return low === null || high === null ? value : `${value} (${format.range(low, high)})`
        },
      })),
    ]
  }, [rows, chosen, change, t, format, nameOf])
  return (
    <DataTable
      label={t('classes.title')}
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      rowName={({ name }) => name}
      total={rows.length}
    />
  )
}
