import { STUDY_STATUSES } from '@medloom/contracts/plain'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePages } from '../../app/pages'
import type { service } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { useOwnerColumn } from '../../components/owner-column'
import { EmptyState, PageHeader } from '../../components/panel'
import { Progress } from '../../components/progress'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { StudyStatusBadge } from '../../components/study-status-badge'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { parts } from '../../text/parts'
import { study as text } from '../../text/study'
import { type Translate, useText } from '../../text/use-text'
import styles from './study.module.css'

const PAGE = 100
const route = getRouteApi('/studies')
type Listed = Awaited<ReturnType<typeof service.listStudies>>['studies'][number]

/** List of all studies, newest first. */
export function StudiesPage() {
  const t = useText(text)
  const { status } = route.useSearch()
  const list = usePages('listStudies', 'studies', { status, page_size: PAGE }, { isLive: true })
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')}>
        <LinkButton kind="primary" icon="study" to="/studies/new">
          {t('new')}
        </LinkButton>
      </PageHeader>
      <div className={styles.page}>
        <StatusFilter />
        {list.isPending && <Skeleton height={20} />}
        {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && list.items.length === 0 && (
          <EmptyState title={t(status === undefined ? 'list.empty' : 'list.filtered')}>
            <LinkButton icon="study" to="/studies/new">
              {t('new')}
            </LinkButton>
          </EmptyState>
        )}
        {list.items.length > 0 && (
          <List studies={list.items} more={list.more} hasNextPage={list.hasNextPage} />
        )}
      </div>
    </>
  )
}

function StatusFilter() {
  const t = useText(text)
  const tp = useText(parts)
  const { status } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <div className={styles.choice}>
      <Select
        label={t('column.status')}
        choices={[
          { value: '', label: t('list.all') },
          ...STUDY_STATUSES.map((value) => ({ value, label: tp(`job.${value}`) })),
        ]}
        value={status ?? ''}
        onChange={(value) => void navigate({ search: value === '' ? {} : { status: value }, replace: true })}
      />
    </div>
  )
}

function List({
  studies,
  more,
  hasNextPage,
}: {
  readonly studies: readonly Listed[]
  readonly more: () => void
  readonly hasNextPage: boolean
}) {
  const t = useText(text)
  const format = useFormatters()
  const owner = useOwnerColumn()
  const columns = useMemo(() => columnsOf(t, format, owner), [t, format, owner])
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={studies}
      rowKey={({ study_id }) => study_id}
      rowName={({ name }) => name}
      total={studies.length + (hasNextPage ? 1 : 0)}
      onMore={more}
    />
  )
}

function columnsOf(
  t: Translate<(typeof text)['en']>,
  format: Formatters,
  owner: readonly Column<Listed>[],
): Column<Listed>[] {
  return [
    {
      id: 'name',
      title: t('column.name'),
      width: 18,
      cell: ({ study_id, name }) => (
        <Link to="/studies/$studyId" params={{ studyId: study_id }}>
          {name}
        </Link>
      ),
    },
    { id: 'status', title: t('column.status'), cell: ({ status }) => <StudyStatusBadge status={status} /> },
    {
      id: 'progress',
      title: t('column.progress'),
      width: 14,
      cell: ({ name, status, progress: { completed: done, total, fraction } }) => (
        <>
          <span className={styles.soft}>{t('progress', { done, total })}</span>
          {status === 'running' && <Progress label={name} value={fraction} />}
        </>
      ),
    },
    { id: 'metric', title: t('column.metric'), cell: ({ metric }) => metric },
    { id: 'reference', title: t('column.reference'), cell: ({ reference }) => reference },
    ...owner,
    {
      id: 'created',
      title: t('column.created'),
      cell: ({ created_at }) => format.moment(created_at),
    },
    {
      id: 'duration',
      title: t('column.duration'),
      numeric: true,
      cell: ({ created_at, ended_at }) =>
        ended_at === null ? NONE : format.duration((Date.parse(ended_at) - Date.parse(created_at)) / 1000),
    },
  ]
}
