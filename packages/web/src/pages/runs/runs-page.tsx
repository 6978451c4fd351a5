import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { usePages } from '../../app/pages'
import { useUserNames } from '../../app/users'
import { ErrorNotice } from '../../components/boundary'
import { Button, LinkButton } from '../../components/button'
import { DataTable, type Sorting } from '../../components/data-table'
import { EmptyState, PageHeader } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { runs as text } from '../../text/runs'
import { useText } from '../../text/use-text'
import { type ListedRun, runColumns } from './columns'
import { Filters } from './filters'
import { groupsOf } from './groups'
import styles from './runs-page.module.css'
import { defaultColumns, type RunsSearch } from './search'
import { Selection } from './selection'

const PAGE = 200
const route = getRouteApi('/runs')

/** List of trainings: the service searches, sorts and filters; the page compares and edits. */
export function RunsPage() {
  const t = useText(text)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useRuns(search)
  const change = useCallback(
    (changes: Partial<RunsSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  )
  const total = list.first?.total
  return (
    <>
      <PageHeader title={t('title')} lead={total === undefined ? '\u00a0' : t('lead', { total })}>
        <LinkButton kind="primary" icon="train" to="/train">
          {t('new')}
        </LinkButton>
      </PageHeader>
      <div className={styles.page}>
        <Filters search={search} onChange={change} />
        <Selection search={search} runs={list.items} onChange={change} />
        {list.isPending && <Skeleton height={30} />}
        {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {total === 0 && <NoRuns search={search} onChange={change} />}
        {total !== undefined && total > 0 && (
          <Tables list={list.items} total={total} onMore={list.more} search={search} onChange={change} />
        )}
        {list.items.length > 0 && <JobsProvenance ids={list.items.map(({ job_id }) => job_id)} />}
      </div>
    </>
  )
}

interface SearchProps {
  readonly search: RunsSearch
  readonly onChange: (changes: Partial<RunsSearch>) => void
}

/** One table, or one per group. */
function Tables({
  list,
  total,
  onMore,
  search,
  onChange,
}: SearchProps & {
  readonly list: readonly ListedRun[]
  readonly total: number
  readonly onMore: (() => void) | undefined
}) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const hasOwners = useUserNames().length > 0
  const columns = useMemo(
    () => runColumns(search.columns ?? defaultColumns(hasOwners), t, format, nameOf),
    [search.columns, hasOwners, t, format, nameOf],
  )
  const selected = useMemo(() => new Set(search.selected), [search.selected])
  const sorting: Sorting = { by: search.by ?? 'created_at', order: search.order ?? 'desc' }
  const shared = {
    columns,
    rowKey: (run: ListedRun) => run.job_id,
    rowName: (run: ListedRun) => run.job_name,
    sorting,
    onSort: ({ by, order }: Sorting) => onChange({ by, order: order === 'asc' ? order : undefined }),
    selected,
    onSelect: (ids: ReadonlySet<string>) => onChange({ selected: ids.size > 0 ? [...ids] : undefined }),
  }
  if (!search.group)
    return <DataTable {...shared} label={t('title')} rows={list} total={total} onMore={onMore} />
  return groupsOf(list, search.group).map(({ name, rows }) => (
    <section key={name} className={styles.group}>
      <h2>{name}</h2>
      <DataTable
        {...shared}
        label={name}
        rows={rows}
        total={rows.length}
        onSelect={(ids) => shared.onSelect(replaceGroupSelection(selected, rows, ids))}
      />
    </section>
  ))
}

/** Complete selection after the selection of one group has changed. */
function replaceGroupSelection(
  before: ReadonlySet<string>,
  rows: readonly ListedRun[],
  ids: ReadonlySet<string>,
) {
  const inGroup = new Set(rows.map(({ job_id }) => job_id))
  return new Set([...[...before].filter((id) => !inGroup.has(id)), ...ids])
}

const NO_FILTERS = { q: undefined, status: undefined, tag: undefined, owner: undefined, archived: undefined }

function NoRuns({ search, onChange }: SearchProps) {
  const t = useText(text)
  const { q, status, tag, owner, archived } = search
  if ([q, status, tag, owner, archived].every((choice) => choice === undefined))
    return (
      <EmptyState title={t('empty.title')}>
        <LinkButton icon="train" to="/train">
          {t('new')}
        </LinkButton>
      </EmptyState>
    )
  const clear = () => onChange(NO_FILTERS)
  return (
    <EmptyState title={t('empty.filtered')}>
      <Button onPress={clear}>{t('empty.clear')}</Button>
    </EmptyState>
  )
}

function useRuns({ q, status, tag, owner, archived, by, order }: RunsSearch) {
  const input = { q, status, tags: tag, owner, archived, order_by: by, order, page_size: PAGE }
  return usePages('listJobs', 'jobs', input, { isLive: true })
}
