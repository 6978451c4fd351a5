import type { DatasetSummary } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePages } from '../../app/pages'
import { Broken } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { useOwnerColumn } from '../../components/owner-column'
import { Empty, PageHead } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { data as text } from '../../text/data'
import { type Figures, NONE, useFigures } from '../../text/figures'
import { type Say, useText } from '../../text/use-text'
import { ReadinessState } from './readiness'

const PAGE = 200

/** List of all registered datasets. */
export function DataPage() {
  const t = useText(text)
  const list = usePages('listDatasets', 'datasets', { page_size: PAGE }, { isLive: true })
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')}>
        <NewLink />
      </PageHead>
      {list.isPending && <Skeleton height={20} />}
      {list.isError && <Broken error={list.error} onRetry={() => void list.refetch()} />}
      {list.first && list.items.length === 0 && (
        <Empty title={t('empty.title')}>
          <NewLink />
        </Empty>
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
  const figures = useFigures()
  const owner = useOwnerColumn()
  const columns = useMemo(() => columnsOf(t, figures, owner), [t, figures, owner])
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
  t: Say<typeof text.en>,
  figures: Figures,
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
      cell: ({ readiness }) => <ReadinessState status={readiness.status} />,
    },
    { id: 'kind', title: t('list.kind'), cell: ({ kind }) => t(`kind.${kind}`) },
    { id: 'task', title: t('list.task'), cell: ({ task }) => t(`task.${task ?? 'none'}`) },
    { id: 'cases', title: t('list.cases'), numeric: true, cell: ({ num_cases }) => figures.count(num_cases) },
    {
      id: 'patients',
      title: t('list.patients'),
      numeric: true,
      cell: ({ num_patients }) => (num_patients === null ? NONE : figures.count(num_patients)),
    },
    {
      id: 'classes',
      title: t('list.classes'),
      numeric: true,
      cell: ({ classes }) => (classes === null ? NONE : figures.count(classes.length)),
    },
    ...owner,
    { id: 'created', title: t('list.created'), cell: ({ created_at }) => figures.moment(created_at) },
  ]
}
