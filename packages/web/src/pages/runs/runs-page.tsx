import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useRefresh } from '../../app/live'
import { service } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Button, LinkButton } from '../../components/button'
import { DataTable, type Sorting } from '../../components/data-table'
import { Empty, PageHead } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { runs as text } from '../../text/runs'
import { useText } from '../../text/use-text'
import { type ListedRun, runColumns } from './columns'
import { Filters } from './filters'
import { groupsOf } from './groups'
import styles from './runs-page.module.css'
import { type RunsSearch, USUAL_COLUMNS } from './search'
import { Selection } from './selection'

const PAGE = 200
const route = getRouteApi('/runs')

/** Every training: searched, sorted and chosen by the service, compared and changed here. */
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
  const total = list.data?.pages[0]?.total
  return (
    <>
      <PageHead title={t('title')} lead={total === undefined ? ' ' : t('lead', { total })}>
        <LinkButton kind="primary" icon="train" to="/train">
          {t('new')}
        </LinkButton>
      </PageHead>
      <div className={styles.page}>
        <Filters search={search} onChange={change} />
        <Selection search={search} runs={list.runs} onChange={change} />
        {list.isPending && <Skeleton height={30} />}
        {list.isError && <Broken error={list.error} onRetry={() => void list.refetch()} />}
        {total === 0 && <Nothing search={search} onChange={change} />}
        {total !== undefined && total > 0 && (
          <Tables list={list.runs} total={total} onMore={list.more} search={search} onChange={change} />
        )}
      </div>
    </>
  )
}

interface Changing {
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
}: Changing & {
  readonly list: readonly ListedRun[]
  readonly total: number
  readonly onMore: (() => void) | undefined
}) {
  const t = useText(text)
  const figures = useFigures()
  const columns = useMemo(
    () => runColumns(search.columns ?? USUAL_COLUMNS, t, figures),
    [search.columns, t, figures],
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
        onSelect={(ids) => shared.onSelect(exchange(selected, rows, ids))}
      />
    </section>
  ))
}

/** The selection after that of one group has changed. */
function exchange(before: ReadonlySet<string>, rows: readonly ListedRun[], ids: ReadonlySet<string>) {
  const own = new Set(rows.map(({ job_id }) => job_id))
  return new Set([...[...before].filter((id) => !own.has(id)), ...ids])
}

function Nothing({ search, onChange }: Changing) {
  const t = useText(text)
  const { q, status, tag, archived } = search
  if (q === undefined && status === undefined && tag === undefined && archived === undefined)
    return (
      <Empty title={t('empty.title')}>
        <LinkButton icon="train" to="/train">
          {t('new')}
        </LinkButton>
      </Empty>
    )
  const clear = () => onChange({ q: undefined, status: undefined, tag: undefined, archived: undefined })
  return (
    <Empty title={t('empty.filtered')}>
      <Button onPress={clear}>{t('empty.clear')}</Button>
    </Empty>
  )
}

function useRuns({ q, status, tag, archived, by, order }: RunsSearch) {
  const input = { q, status, tags: tag, archived, order_by: by, order, page_size: PAGE }
  const query = useInfiniteQuery({
    queryKey: ['listJobs', 'pages', input],
    queryFn: ({ pageParam, signal }) => service.listJobs({ ...input, page_token: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh(),
  })
  const { hasNextPage, isFetching, fetchNextPage } = query
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  const runs = useMemo(() => query.data?.pages.flatMap(({ jobs }) => jobs) ?? [], [query.data])
  return { ...query, runs, more }
}
