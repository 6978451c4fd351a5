import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery } from '../../app/service'
import { Button } from '../../components/button'
import { EmptyState, Panel } from '../../components/panel'
import { Select } from '../../components/select'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './distribution.module.css'
import { Histograms } from './histograms'
import { mergeGroups } from './merge-groups'
import { shownColumn } from './queries'
import { GROUPINGS } from './search'
import { ValueTable } from './value-table'
import type { DatasetViewProps } from './view-props'

/** Distribution of the values of one column, by class or split. */
export function DistributionPanel({ dataset, search, onChange }: DatasetViewProps) {
  const t = useText(text)
  const column = shownColumn(dataset, search)
  const by = search.by ?? 'class'
  return (
    <Panel
      title={column === undefined ? t('distribution.choose') : t('distribution.title', { column })}
      height={16}
      actions={
        <Select
          label={t('distribution.by')}
          choices={GROUPINGS.map((value) => ({ value, label: t(`distribution.by.${value}`) }))}
          value={by}
          onChange={(value) => onChange({ by: value })}
        />
      }
    >
      {column === undefined ? (
        <EmptyState title={t('distribution.choose')} />
      ) : (
        <Distribution key={column} id={dataset.dataset_id} column={column} by={by} />
      )}
    </Panel>
  )
}

function Distribution({
  id,
  column,
  by,
}: {
  readonly id: string
  readonly column: string
  readonly by: (typeof GROUPINGS)[number]
}) {
  const t = useText(text)
  const [asTable, setTable] = useState(false)
  const { data } = useSuspenseQuery(routeQuery('getDistribution', { dataset_id: id, column }))
  const groups = mergeGroups(data, by)
  return (
    <div className={styles.shown}>
      {data.masked && <p className={styles.soft}>{t('distribution.masked')}</p>}
      {data.edges && !asTable ? (
        <Histograms edges={data.edges} groups={groups} by={by} />
      ) : (
        <ValueTable distribution={data} groups={groups} by={by} />
      )}
      {data.edges && (
        <div>
          <Button kind="quiet" onPress={() => setTable(!asTable)}>
            {t(asTable ? 'distribution.chart' : 'distribution.table')}
          </Button>
        </div>
      )}
    </div>
  )
}
