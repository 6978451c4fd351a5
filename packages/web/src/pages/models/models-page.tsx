import type { RouteResponse } from '@medloom/contracts'
import { EPOCH_HEADLINE } from '@medloom/contracts/plain'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePages } from '../../app/pages'
import { Broken } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { Empty, PageHead } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { WhereFromJobs } from '../../origin/origin-of-jobs'
import { useFigures } from '../../text/figures'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'

type Model = RouteResponse<'listModels'>['models'][number]
const PAGE = 100

/** List of all registered models, newest first. */
export function ModelsPage() {
  const t = useText(text)
  const list = usePages('listModels', 'models', { page_size: PAGE }, { isLive: true })
  return (
    <>
      <PageHead title={t('models.title')} lead={t('models.lead')} />
      {list.isPending && <Skeleton height={30} />}
      {list.isError && <Broken error={list.error} onRetry={() => void list.refetch()} />}
      {list.first && list.items.length === 0 && (
        <Empty title={t('models.empty')}>
          <LinkButton icon="train" to="/train">
            {t('models.train')}
          </LinkButton>
        </Empty>
      )}
      {list.items.length > 0 && <Table models={list.items} more={list.more} whole={!list.hasNextPage} />}
      {list.items.length > 0 && <WhereFromJobs ids={list.items.map(({ job_id }) => job_id)} />}
    </>
  )
}

function Table({
  models,
  more,
  whole,
}: {
  readonly models: readonly Model[]
  readonly more: () => void
  readonly whole: boolean
}) {
  const t = useText(text)
  const figures = useFigures()
  const nameOf = useMetricNames()
  const columns = useMemo(
    (): Column<Model>[] => [
      {
        id: 'model',
        title: t('models.model'),
        cell: ({ model_id }) => (
          <Link to="/models/$id" params={{ id: model_id }}>
            {model_id}
          </Link>
        ),
      },
      { id: 'task', title: t('models.task'), cell: ({ task }) => t(`task.${task}`) },
      {
        id: 'validation',
        title: t('evaluation.validation'),
        cell: ({ task, metrics }) =>
          EPOCH_HEADLINE[task]
            .filter((name) => typeof metrics[name] === 'number')
            .map((name) => `${nameOf(name.replace(/^val_/, ''))} ${figures.metric(metrics[name])}`)
            .join(' · ') || figures.metric(null),
      },
      {
        id: 'tests',
        title: t('models.evaluations'),
        numeric: true,
        cell: ({ evaluations }) => figures.count(evaluations),
      },
      {
        id: 'job',
        title: t('models.job'),
        cell: ({ job_id, job_name }) => (
          <Link to="/runs/$jobId" params={{ jobId: job_id }}>
            {job_name}
          </Link>
        ),
      },
      { id: 'created', title: t('models.created'), cell: ({ created_at }) => figures.moment(created_at) },
    ],
    [t, figures, nameOf],
  )
  return (
    <DataTable
      label={t('models.title')}
      columns={columns}
      rows={models}
      rowKey={({ model_id }) => model_id}
      rowName={({ model_id }) => model_id}
      total={whole ? models.length : models.length + 1}
      onMore={more}
    />
  )
}
