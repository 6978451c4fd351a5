import type { RouteResponse } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { Sparkline } from '../../charts/sparkline'
import type { Column } from '../../components/data-table'
import { Icon } from '../../components/icon'
import { JobStatusBadge } from '../../components/job-status-badge'
import { Progress } from '../../components/progress'
import { ServiceText } from '../../components/service-text'
import { Tags } from '../../components/tags'
import { type Formatters, NONE } from '../../text/formatters'
import type { useMetricNames } from '../../text/metrics/use-metric-names'
import type { runs } from '../../text/runs'
import type { Translate } from '../../text/use-text'
import type { ColumnId } from './search'

export type ListedRun = RouteResponse<'listJobs'>['jobs'][number]
type MetricNames = ReturnType<typeof useMetricNames>
type Words = Translate<(typeof runs)['en']>

/** The selected columns after the name. */
export function runColumns(
  ids: readonly ColumnId[],
  t: Words,
  format: Formatters,
  nameOf: MetricNames,
): Column<ListedRun>[] {
  const known = columnsById(t, format)
  return [
    name(t),
    ...ids.flatMap((id) => (id.startsWith('metrics.') ? metric(id, format, nameOf) : (known[id] ?? []))),
  ]
}

function name(t: Words): Column<ListedRun> {
  return {
    id: 'name',
    title: t('column.name'),
    sortKey: 'name',
    width: 16,
    cell: (run) => (
      <Link to="/runs/$jobId" params={{ jobId: run.job_id }}>
        {run.pinned && (
          <>
            <Icon name="pin" />
            <span className="visually-hidden">{t('pinned')} </span>
          </>
        )}
        {run.job_name}
      </Link>
    ),
  }
}

function metric(id: string, format: Formatters, nameOf: MetricNames): Column<ListedRun> {
  const key = id.slice('metrics.'.length)
  return {
    id,
    title: nameOf(key),
    sortKey: id,
    numeric: true,
    cell: (run) => format.metric((run.best?.metrics ?? run.metrics)[key]),
  }
}

function columnsById(t: Words, format: Formatters): Record<string, Column<ListedRun>> {
  const column = (
    id: Exclude<ColumnId, `metrics.${string}`>,
    rest: Omit<Column<ListedRun>, 'id' | 'title'>,
  ) => ({
    id,
    title: t(`column.${id}`),
    ...rest,
  })
  return {
    status: column('status', { sortKey: 'status', cell: (run) => <JobStatusBadge status={run.status} /> }),
    progress: column('progress', {
      width: 11,
      cell: (run) => <RunProgress run={run} t={t} format={format} />,
    }),
    curve: column('curve', { width: 8, cell: (run) => <Sparkline jobId={run.job_id} /> }),
    reads: column('reads', { cell: ({ settings }) => t(`reads.${settings.reads}`) }),
    backbone: column('backbone', { cell: ({ settings }) => settings.vision_backbone }),
    fusion: column('fusion', { cell: ({ settings }) => settings.fusion_type }),
    data: column('data', {
      cell: ({ settings }) => <span title={settings.train_csv}>{fileName(settings.train_csv)}</span>,
    }),
    task: column('task', { cell: ({ settings }) => settings.task ?? NONE }),
    owner: column('owner', { cell: ({ owner }) => owner ?? NONE }),
    seed: column('seed', { numeric: true, cell: ({ settings }) => settings.seed ?? NONE }),
    batch: column('batch', { numeric: true, cell: ({ settings }) => settings.batch_size }),
    rate: column('rate', { numeric: true, cell: ({ settings }) => settings.learning_rate ?? NONE }),
    created: column('created', { sortKey: 'created_at', cell: (run) => format.moment(run.created_at) }),
    duration: column('duration', {
      sortKey: 'duration',
      numeric: true,
      cell: (run) => durationOf(run, format),
    }),
    tags: column('tags', { cell: ({ tags }) => <Tags tags={tags} /> }),
    verdict: column('verdict', {
      width: 18,
      cell: ({ baseline_verdict: verdict }) =>
        verdict ? <ServiceText english={verdict.text} phrases={verdict.text_phrases} /> : NONE,
    }),
  }
}

/** Progress of a training, or the epochs of a finished one. */
function RunProgress({
  run,
  t,
  format,
}: {
  readonly run: ListedRun
  readonly t: Words
  readonly format: Formatters
}) {
  const epoch = t('epoch', { epoch: run.epoch, total: run.total_epochs })
  if (run.status === 'started' && run.queue_position !== null)
    return t('queue', { position: run.queue_position })
  if (run.status !== 'running') return epoch
  const remaining =
    run.eta_seconds === null ? '' : ` · ${t('eta', { time: format.duration(run.eta_seconds) })}`
  return (
    <>
      <Progress label={epoch} value={run.total_epochs > 0 ? run.epoch / run.total_epochs : null} />
      {epoch}
      {remaining}
    </>
  )
}

function durationOf({ started_at, ended_at }: ListedRun, format: Formatters): string {
  if (started_at === null) return NONE
  const end = ended_at === null ? Date.now() : Date.parse(ended_at)
  return format.duration((end - Date.parse(started_at)) / 1000)
}

/** Last part of a path, which users recognize as the name of their table. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}
