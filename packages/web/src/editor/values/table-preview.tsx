import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { ScrollRegion } from '../../components/scroll-region'
import { Skeleton } from '../../components/skeleton'
import { WarningText } from '../../components/warning-text'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from '../panel/panels.module.css'
import { Pager, usePaging } from './paging'
import type { PortValueRef } from './port-value-ref'

const ROWS = 20
const IMAGES = 8

/** Rows and images of a value in pages, after preprocessing. */
export function TablePreview({ workflowId, node, port, runId, digest }: PortValueRef) {
  const t = useText(text)
  const paging = usePaging()
  const { queryKey, queryFn } = routeQuery('previewNode', {
    workflow_id: workflowId,
    node,
    port,
    rows: ROWS,
    images: IMAGES,
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(paging.token === undefined ? {} : { page_token: paging.token }),
  })
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...queryKey, digest],
    queryFn,
    placeholderData: keepPreviousData,
  })
  if (isError) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={12} />
  const { num_rows, num_columns, columns, rows, images, notes } = data
  return (
    <section className={styles.stack}>
      <h4>{t('result.look')}</h4>
      {notes.map(({ code, message, message_phrases: phrases }) => (
        <p key={`${code} ${message}`} className={styles.soft}>
          <WarningText {...{ code, message, phrases }} />
        </p>
      ))}
      {images.length > 0 && (
        <ul className={styles.images} aria-label={t('result.images')}>
          {images.map(({ row, column, view, png, augmented_png }) => (
            <li key={`${row} ${column} ${view}`}>
              <img src={`data:image/png;base64,${png}`} alt={t('result.image', { row: row + 1, column })} />
              {augmented_png && (
                <img
                  src={`data:image/png;base64,${augmented_png}`}
                  alt={t('result.augmented', { row: row + 1, column })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.soft}>
        {t('result.rows', { shown: rows.length, all: num_rows, columns: num_columns })}
      </p>
      <ScrollRegion label={t('result.look')} className={styles.table}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, index) => (
                  <td key={columns[index]?.name}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Pager paging={paging} next={data.next_page_token} />
    </section>
  )
}
