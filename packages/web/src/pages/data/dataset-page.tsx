import { MedloomError } from '@medloom/client'
import type { Dataset } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { PageHeader } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { Tabs } from '../../components/tabs'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { Actions } from './actions'
import { CaseViewer } from './case-viewer'
import { Cases } from './cases'
import { Checks } from './checks'
import styles from './dataset-page.module.css'
import { DatasetProvenance } from './dataset-provenance'
import { ImageGrid } from './image-grid'
import { Overview } from './overview'
import { ReadinessBadge } from './readiness-badge'
import { type DatasetSearch, TABS } from './search'

const route = getRouteApi('/data/$datasetId')

/** Page of one dataset and its content. */
export function DatasetPage() {
  const t = useText(text)
  const { datasetId } = route.useParams()
  const { data: dataset, error, refetch } = useQuery(routeQuery('getDataset', { dataset_id: datasetId }))
  if (error instanceof MedloomError && error.code === 'DATASET_NOT_FOUND')
    return (
      <>
        <PageHeader title={t('gone')} />
        <Problem error={error}>
          <div>
            <LinkButton to="/data">{t('back')}</LinkButton>
          </div>
        </Problem>
      </>
    )
  if (error && !dataset) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!dataset) return <Skeleton height={30} />
  return (
    <>
      <PageHeader
        title={dataset.name}
        lead={
          <div className={styles.lead}>
            <ReadinessBadge status={dataset.readiness.status} />
            {dataset.note && <p className={styles.note}>{dataset.note}</p>}
          </div>
        }
      >
        <Actions dataset={dataset} />
      </PageHeader>
      <DatasetProvenance dataset={dataset} />
      <Views dataset={dataset} />
    </>
  )
}

function Views({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const onChange = useCallback(
    (changes: Partial<DatasetSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  )
  const tabs = useMemo(() => {
    const props = { dataset, search, onChange }
    const content = {
      overview: () => <Overview {...props} />,
      cases: () => <Cases {...props} />,
      images: () => <ImageGrid {...props} />,
      checks: () => <Checks {...props} />,
    }
    return TABS.map((id) => ({ id, title: t(`tab.${id}`), content: content[id] }))
  }, [dataset, search, onChange, t])
  return (
    <>
      <Tabs
        label={t('tabs')}
        tabs={tabs}
        open={search.tab ?? 'overview'}
        onOpen={(tab) => onChange({ tab })}
      />
      {search.row !== undefined && (
        <CaseViewer dataset={dataset} search={search} row={search.row} onChange={onChange} />
      )}
    </>
  )
}
