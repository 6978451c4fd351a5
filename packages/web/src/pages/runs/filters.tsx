import { JOB_STATUSES, ME } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { routeQuery } from '../../app/service'
import { useUserNames } from '../../app/users'
import { SearchField } from '../../components/field'
import { Select } from '../../components/select'
import { SEARCH_DEBOUNCE_MILLISECONDS } from '../../durations'
import { parts } from '../../text/parts'
import { runs } from '../../text/runs'
import { useText } from '../../text/use-text'
import { ColumnSelect } from './column-select'
import styles from './filters.module.css'
import { GROUPS, type RunsSearch } from './search'

const ALL = ''

/** Filters, grouping and columns of the list. */
export function Filters({
  search,
  onChange,
}: {
  readonly search: RunsSearch
  readonly onChange: (changes: Partial<RunsSearch>) => void
}) {
  const t = useText(runs)
  const words = useText(parts)
  const { data } = useQuery(routeQuery('listJobTags', {}))
  const users = useUserNames()
  const hasOwners = users.length > 0
  return (
    <search className={styles.filters} data-owners={hasOwners}>
      <TypedSearch value={search.q ?? ''} onChange={(q) => onChange({ q: q === '' ? undefined : q })} />
      <Select
        label={t('filter.status')}
        choices={[
          { value: ALL, label: t('filter.status.all') },
          ...JOB_STATUSES.map((value) => ({ value, label: words(`job.${value}`) })),
        ]}
        value={search.status ?? ALL}
        onChange={(status) => onChange({ status: status === ALL ? undefined : status })}
      />
      <Select
        label={t('filter.tag')}
        choices={[
          { value: ALL, label: t('filter.tag.all') },
          ...(data?.tags ?? []).map(({ tag, jobs }) => ({ value: tag, label: `${tag} (${jobs})` })),
        ]}
        value={search.tag ?? ALL}
        onChange={(tag) => onChange({ tag: tag === ALL ? undefined : tag })}
      />
      {hasOwners && (
        <Select
          label={t('filter.owner')}
          choices={[
            { value: ALL, label: t('filter.owner.all') },
            { value: ME, label: t('filter.owner.me') },
            ...users.map((value) => ({ value, label: value })),
          ]}
          value={search.owner ?? ALL}
          onChange={(owner) => onChange({ owner: owner === ALL ? undefined : owner })}
        />
      )}
      <Select
        label={t('filter.archived')}
        choices={(['false', 'true', 'all'] as const).map((value) => ({
          value,
          label: t(`filter.archived.${value}`),
        }))}
        value={search.archived ?? 'false'}
        onChange={(archived) => onChange({ archived: archived === 'false' ? undefined : archived })}
      />
      <Select
        label={t('group.label')}
        choices={[
          { value: ALL, label: t('group.none') },
          ...GROUPS.map((value) => ({ value, label: t(`group.${value}`) })),
        ]}
        value={search.group ?? ALL}
        onChange={(group) => onChange({ group: group === ALL ? undefined : group })}
      />
      <ColumnSelect search={search} hasOwners={hasOwners} onChange={onChange} />
    </search>
  )
}

/** Search field that waits for a pause in typing, and follows changes of the address. */
function TypedSearch({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const t = useText(runs)
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), SEARCH_DEBOUNCE_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return <SearchField label={t('search')} value={typed} onChange={setTyped} />
}
