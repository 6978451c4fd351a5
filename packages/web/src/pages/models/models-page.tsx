import type { RouteResponse } from '@medloom/contracts'
import { ALIAS_NAME, EPOCH_HEADLINE } from '@medloom/contracts/plain'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePages } from '../../app/pages'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { EmptyState, PageHeader } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { Tags } from '../../components/tags'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { AliasesPanel } from './aliases-panel'

type Model = RouteResponse<'listModels'>['models'][number]
const PAGE = 100

/** List of all registered models, newest first. */
export function ModelsPage() {
  const t = useText(text)
  const list = usePages('listModels', 'models', { page_size: PAGE }, { isLive: true })
  return (
    <>
      <PageHeader title={t('models.title')} lead={t('models.lead')} />
      {list.isPending && <Skeleton height={30} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.first && list.items.length === 0 && (
        <EmptyState title={t('models.empty')}>
          <LinkButton icon="train" to="/train">
            {t('models.train')}
          </LinkButton>
        </EmptyState>
      )}
      {list.items.length > 0 && (
        <Table models={list.items} loadMore={list.more} isComplete={!list.hasNextPage} />
      )}
      {list.items.length > 0 && <JobsProvenance ids={list.items.map(({ job_id }) => job_id)} />}
      {/* Last, because it grows when its list arrives. */}
      {list.items.length > 0 && <AliasesPanel />}
    </>
  )
}

function Table({
  models,
  loadMore: more,
  isComplete,
}: {
  readonly models: readonly Model[]
  readonly loadMore: () => void
  readonly isComplete: boolean
}) {
  const t = useText(text)
  const format = useFormatters()
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
      {
        id: 'aliases',
        title: t('alias.title'),
        cell: ({ aliases }) => <Tags tags={aliases.filter((name) => ALIAS_NAME.test(name))} />,
      },
      { id: 'task', title: t('models.task'), cell: ({ task }) => t(`task.${task}`) },
      {
        id: 'validation',
        title: t('evaluation.validation'),
        cell: ({ task, metrics }) =>
          EPOCH_HEADLINE[task]
            .filter((name) => typeof metrics[name] === 'number')
            .map((name) => `${nameOf(name.replace(/^val_/, ''))} ${format.metric(metrics[name])}`)
            .join(' · ') || format.metric(null),
      },
      {
        id: 'tests',
        title: t('models.evaluations'),
        numeric: true,
        cell: ({ evaluations }) => format.count(evaluations),
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
      { id: 'created', title: t('models.created'), cell: ({ created_at }) => format.moment(created_at) },
    ],
    [t, format, nameOf],
  )
  return (
    <DataTable
      label={t('models.title')}
      columns={columns}
      rows={models}
      rowKey={({ model_id }) => model_id}
      rowName={({ model_id }) => model_id}
      total={isComplete ? models.length : models.length + 1}
      onMore={more}
    />
  )
}
