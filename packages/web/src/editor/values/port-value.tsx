import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Skeleton } from '../../components/skeleton'
import styles from '../panel/panels.module.css'
import { Pager, usePaging } from './paging'
import type { PortPlace } from './port-place'
import { TablePreview } from './table-preview'
import { ValueView } from './value-view'

const PAGE = 100

/** Value of a port: a summary by kind, and the rows and images of cases. */
export function PortValue(place: PortPlace) {
  const paging = usePaging()
  const { queryKey, queryFn } = read('getPortValue', {
    workflow_id: place.workflowId,
    node: place.node,
    port: place.port,
    page_size: PAGE,
    ...(place.runId === undefined ? {} : { run_id: place.runId }),
    ...(paging.token === undefined ? {} : { page_token: paging.token }),
  })
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...queryKey, place.digest],
    queryFn,
    placeholderData: keepPreviousData,
  })
  if (isError) return <Broken error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={8} />
  const hasRows = data.value.content === 'cases' || data.value.content === 'predictions'
  return (
    <div className={styles.stack}>
      <ValueView value={data.value} place={place} />
      <Pager paging={paging} next={data.next_page_token} />
      {hasRows && <TablePreview {...place} />}
    </div>
  )
}
