import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Skeleton } from '../../components/skeleton'
import styles from '../panel/panels.module.css'
import { Pager, usePaging } from './paging'
import type { PortValueRef } from './port-value-ref'
import { TablePreview } from './table-preview'
import { ValueView } from './value-view'

const PAGE = 100

/** Value of a port: a summary by kind, and the rows and images of cases. */
export function PortValue(valueRef: PortValueRef) {
  const paging = usePaging()
  const { queryKey, queryFn } = routeQuery('getPortValue', {
    workflow_id: valueRef.workflowId,
    node: valueRef.node,
    port: valueRef.port,
    page_size: PAGE,
    ...(valueRef.runId === undefined ? {} : { run_id: valueRef.runId }),
    ...(paging.token === undefined ? {} : { page_token: paging.token }),
  })
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...queryKey, valueRef.digest],
    queryFn,
    placeholderData: keepPreviousData,
  })
  if (isError) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={8} />
  const hasRows = data.value.content === 'cases' || data.value.content === 'predictions'
  return (
    <div className={styles.stack}>
      <ValueView value={data.value} valueRef={valueRef} />
      <Pager paging={paging} next={data.next_page_token} />
      {hasRows && <TablePreview {...valueRef} />}
    </div>
  )
}
