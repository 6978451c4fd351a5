import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { routeQuery } from '../../app/service'
import { LinkButton } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { JobStatusBadge } from '../../components/job-status-badge'
import { Select } from '../../components/select'
import { Status } from '../../components/status'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { study as text } from '../../text/study'
import { type Translate, useText } from '../../text/use-text'
import { MAX_JOBS } from '../compare/search'
import { foldName } from './fold-name'
import type { Study, StudyJob, StudyResults } from './live-study'
import styles from './study.module.css'

type Words = Translate<(typeof text)['en']>
const route = getRouteApi('/studies/$studyId')

/** List of the trainings of a study; each links to its job. */
export function Trainings({ study }: { readonly study: Study }) {
  const t = useText(text)
  const format = useFormatters()
  const navigate = route.useNavigate()
  const { variant } = route.useSearch()
  const { data: results } = useQuery({
    ...routeQuery('getStudyResults', { study_id: study.study_id }),
    enabled: study.results_path !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const names = useMemo(() => [...new Set(study.jobs.map((job) => job.variant))], [study.jobs])
  const nameOf = useMetricNames()
  const columns = useMemo(
    () => columnsOf(study, results, { t, format, nameOf }),
    [study, results, t, format, nameOf],
  )
  const known = variant !== undefined && names.includes(variant) ? variant : ''
  const rows = study.jobs.filter((job) => known === '' || job.variant === known)
  return (
    <div className={styles.page}>
      {names.length > 1 && (
        <div className={styles.choice}>
          <Select
            label={t('trainings.variant')}
            choices={[
              { value: '', label: t('trainings.allVariants') },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
            value={known}
            onChange={(name) =>
              void navigate({
                search: (before) => ({ ...before, variant: name === '' ? undefined : name }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
      )}
      <CompareLink jobs={rows} />
      <DataTable
        label={t('tab.trainings')}
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        rowName={keyOf}
        total={rows.length}
      />
    </div>
  )
}

/** Link that compares the curves of the first of these trainings. */
function CompareLink({ jobs }: { readonly jobs: readonly StudyJob[] }) {
  const t = useText(text)
  const ids = jobs.flatMap(({ job_id }) => job_id ?? []).slice(0, MAX_JOBS)
  if (ids.length < 2) return null
  return (
    <div>
      <LinkButton icon="compare" to="/compare" search={{ jobs: ids }}>
        {t('trainings.compare', { count: ids.length })}
      </LinkButton>
    </div>
  )
}

/** Identifies a training within its study. */
function keyOf({ variant, seed, repeat, fold, trial }: Omit<StudyJob, 'job_id'>): string {
  return [variant, seed, repeat, fold, trial].join(' ')
}

interface ColumnContext {
  readonly t: Words
  readonly format: Formatters
  readonly nameOf: ReturnType<typeof useMetricNames>
}

function columnsOf(
  { metric, search }: Study,
  results: StudyResults | undefined,
  { t, format, nameOf }: ColumnContext,
): Column<StudyJob>[] {
  const measured = new Map(
    results?.trainings.map(({ variant, seed, repeat, fold, metrics }) => [
      [variant, seed, repeat, fold].join(' '),
      metrics[metric],
    ]),
  )
  const trial: Column<StudyJob> = {
    id: 'trial',
    title: t('trainings.trial'),
    numeric: true,
    cell: (job) => (job.trial === null ? NONE : format.count(job.trial + 1)),
  }
  return [
    { id: 'job', title: t('trainings.job'), width: 12, cell: (job) => <JobLink job={job} /> },
    { id: 'variant', title: t('trainings.variant'), width: 14, cell: (job) => job.variant },
    { id: 'seed', title: t('trainings.seed'), numeric: true, cell: (job) => format.count(job.seed) },
    { id: 'fold', title: t('trainings.fold'), numeric: true, cell: (job) => foldName(job, format) },
    ...(search ? [trial] : []),
    { id: 'status', title: t('trainings.status'), cell: (job) => <TrainingState job={job} t={t} /> },
    {
      id: 'value',
      title: `${t('trainings.value')}: ${nameOf(metric)}`,
      numeric: true,
      // In a search, only the selected settings are measured on held-out cases, and they have no trial number here.
      cell: (job) =>
        job.trial === null
          ? format.metric(measured.get([job.variant, job.seed, job.repeat, job.fold].join(' ')))
          : NONE,
    },
    {
      id: 'attempts',
      title: t('trainings.attempts'),
      numeric: true,
      cell: (job) => format.count(job.attempts.reduce((sum, { attempt }) => sum + attempt, 0)),
    },
  ]
}

function JobLink({ job: { job_id } }: { readonly job: StudyJob }) {
  if (job_id === null) return NONE
  return (
    <Link to="/runs/$jobId" params={{ jobId: job_id }}>
      {job_id.slice(0, 8)}
    </Link>
  )
}

/** Status of the job; a training without a job is waiting, was ended early, or was removed. */
function TrainingState({ job, t }: { readonly job: StudyJob; readonly t: Words }) {
  switch (job.status) {
    case 'waiting':
      return <Status tone="waiting">{t('training.waiting')}</Status>
    case 'pruned':
      return <Status tone="neutral">{t('training.pruned')}</Status>
    case 'removed':
      return <Status tone="bad">{t('training.removed')}</Status>
    default:
      return <JobStatusBadge status={job.status} />
  }
}
