import type { DatasetSummary } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePages } from '../../app/pages'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { useOwnerColumn } from '../../components/owner-column'
import { EmptyState, PageHeader } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { data as text } from '../../text/data'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { type Translate, useText } from '../../text/use-text'
import { ReadinessBadge } from './readiness-badge'

const PAGE = 200

/** List of all registered datasets. */
export function DataPage() {
  const t = useText(text)
  const list = usePages('listDatasets', 'datasets', { page_size: PAGE }, { isLive: true })
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')}>
        <NewLink />
      </PageHeader>
      {list.isPending && <Skeleton height={20} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.first && list.items.length === 0 && (
        <EmptyState title={t('empty.title')}>
          <NewLink />
        </EmptyState>
      )}
      {list.items.length > 0 && <Table datasets={list.items} hasMore={list.hasNextPage} onMore={list.more} />}
    </>
  )
}

function NewLink() {
  const t = useText(text)
  return (
    <LinkButton kind="primary" icon="data" to="/data/new">
      {t('new')}
    </LinkButton>
  )
}

function Table({
  datasets,
  hasMore,
  onMore,
}: {
  readonly datasets: readonly DatasetSummary[]
  readonly hasMore: boolean
  readonly onMore: () => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const owner = useOwnerColumn()
  const columns = useMemo(() => columnsOf(t, format, owner), [t, format, owner])
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={datasets}
      rowKey={({ dataset_id }) => dataset_id}
      rowName={({ name }) => name}
      total={datasets.length + (hasMore ? 1 : 0)}
      onMore={onMore}
    />
  )
}

function columnsOf(
  t: Translate<typeof text.en>,
  format: Formatters,
  owner: readonly Column<DatasetSummary>[],
): readonly Column<DatasetSummary>[] {
  return [
    {
      id: 'name',
      title: t('list.name'),
      cell: ({ dataset_id, name }) => (
        <Link to="/data/$datasetId" params={{ datasetId: dataset_id }}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      id: 'readiness',
      title: t('list.readiness'),
      cell: ({ readiness }) => <ReadinessBadge status={readiness.status} />,
    },
    { id: 'kind', title: t('list.kind'), cell: ({ kind }) => t(`kind.${kind}`) },
    { id: 'task', title: t('list.task'), cell: ({ task }) => t(`task.${task ?? 'none'}`) },
    { id: 'cases', title: t('list.cases'), numeric: true, cell: ({ num_cases }) => format.count(num_cases) },
    {
      id: 'patients',
      title: t('list.patients'),
      numeric: true,
      cell: ({ num_patients }) => (num_patients === null ? NONE : format.count(num_patients)),
    },
    {
      id: 'classes',
      title: t('list.classes'),
      numeric: true,
      cell: ({ classes, num_classes }) =>
        classes === null ? NONE : format.count(num_classes ?? classes.length),
    },
    ...owner,
    { id: 'created', title: t('list.created'), cell: ({ created_at }) => format.moment(created_at) },
  ]
}
