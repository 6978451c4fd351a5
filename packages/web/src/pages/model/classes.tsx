import { useMemo } from 'react'
import { Button } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { useFigures } from '../../text/figures'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { classOf, type Evidence, type Result } from './evidence'

type PerClass = NonNullable<Result['per_class']>[number]
const MOST_METRICS = 5

/** Each class against the rest, or each label separately. Charts show the selected one. */
export function Classes(evidence: Evidence) {
  const { document, change } = evidence
  const t = useText(text)
  const figures = useFigures()
  const nameOf = useMetricNames()
  const chosen = classOf(evidence)
  const rows = document.result.per_class ?? []
  const columns = useMemo((): Column<PerClass>[] => {
    const names = Object.keys(rows[0]?.metrics ?? {}).slice(0, MOST_METRICS)
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
      { id: 'cases', title: t('threshold.cases'), numeric: true, cell: ({ cases }) => figures.count(cases) },
      ...names.map((name) => ({
        id: name,
        title: nameOf(name),
        numeric: true,
        cell: ({ metrics, intervals }: PerClass) => {
          const { low = null, high = null } = intervals[name] ?? {}
          const value = figures.metric(metrics[name])
          return low === null || high === null ? value : `${value} (${figures.range(low, high)})`
        },
      })),
    ]
  }, [rows, chosen, change, t, figures, nameOf])
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
