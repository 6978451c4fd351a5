import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Checkbox } from '../../components/field'
import { EmptyState, Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { compare as text } from '../../text/compare'
import { useText } from '../../text/use-text'
import styles from './compare.module.css'
import { configRows } from './config-rows'
import { jobNames } from './job-names'
import type { CompareViewProps } from './view-props'

const route = getRouteApi('/compare')

/** Configuration keys that differ; all keys on request. */
export function ConfigDifferences({ jobs, onChange }: CompareViewProps) {
  const all = route.useSearch({ select: (search) => search.all === true })
  const t = useText(text)
  const rows = useMemo(() => configRows(jobs.map(({ config }) => config)), [jobs])
  const shown = rows.filter(({ differs }) => all || differs)
  return (
    <Panel
      title={t('config.title')}
      actions={
        <Checkbox isSelected={all} onChange={(on) => onChange({ all: on ? true : undefined })}>
          {t('config.all')}
        </Checkbox>
      }
    >
      {shown.length === 0 ? (
        <EmptyState title={t('config.same')} />
      ) : (
        <PlainTable
          label={t('config.title')}
          head={[
            t('config.key'),
            ...jobNames(jobs).map((title, index) => ({ key: jobs[index]?.job_id ?? title, title })),
          ]}
          rows={shown.map(({ key, values, differs }) => ({
            key,
            cells: [
              <code key="key">{key}</code>,
              ...values.map((value, index) => (
                <span key={jobs[index]?.job_id} className={styles.value} data-differs={differs}>
                  {value ?? t('config.default')}
                </span>
              )),
            ],
          }))}
        />
      )}
    </Panel>
  )
}
