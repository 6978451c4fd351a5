import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { PageHeader } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { StudyStatusBadge } from '../../components/study-status-badge'
import { Tabs } from '../../components/tabs'
import { JobsProvenance } from '../../provenance/jobs-provenance'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { Actions } from './actions'
import { Configuration } from './configuration'
import { type Study, useLiveStudy } from './live-study'
import { Results } from './results'
import { STUDY_TABS } from './search'
import { SearchResults } from './search-results'
import styles from './study.module.css'
import { StudyProgress } from './study-progress'
import { Trainings } from './trainings'

const route = getRouteApi('/studies/$studyId')

/** Page of one study: progress, results of its variants, significant differences, and the trainings behind every number. */
export function StudyPage() {
  const { studyId } = route.useParams()
  const study = useQuery(routeQuery('getStudy', { study_id: studyId }))
  useLiveStudy(study.data)
  if (study.isError) return <ErrorNotice error={study.error} onRetry={() => void study.refetch()} />
  if (!study.data) return <Skeleton height={30} />
  const { name, status, config } = study.data
  return (
    <>
      <PageHeader
        title={name}
        lead={
          <div className={styles.lead}>
            <StudyStatusBadge status={status} />
            {config.question !== undefined && <p>{config.question}</p>}
          </div>
        }
      >
        <Actions study={study.data} />
      </PageHeader>
      <div className={styles.page}>
        <StudyProgress study={study.data} />
        <JobsProvenance ids={study.data.jobs.flatMap(({ job_id }) => job_id ?? [])} />
        <Views study={study.data} />
      </div>
    </>
  )
}

function Views({ study }: { readonly study: Study }) {
  const t = useText(text)
  const { tab = 'results' } = route.useSearch()
  const navigate = route.useNavigate()
  const content = {
    results: () => <Results study={study} />,
    trainings: () => <Trainings study={study} />,
    search: () => study.search && <SearchResults search={study.search} />,
    configuration: () => <Configuration study={study} />,
  }
  const shown = STUDY_TABS.filter((id) => id !== 'search' || study.search !== null)
  return (
    <Tabs
      label={t('tabs')}
      tabs={shown.map((id) => ({ id, title: t(`tab.${id}`), content: content[id] }))}
      open={shown.includes(tab) ? tab : 'results'}
      onOpen={(id) =>
        void navigate({ search: (before) => ({ ...before, tab: id }), replace: true, resetScroll: false })
      }
    />
  )
}
