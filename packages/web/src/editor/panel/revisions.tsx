import { differences } from '@medloom/contracts/plain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery, service } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { Skeleton } from '../../components/skeleton'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { replaceDocument } from '../core/edits'
import { useEditor, useEditState } from '../state/context'
import { DifferenceList } from './difference-list'
import styles from './panels.module.css'

const SHOWN = 10

/** Earlier versions. Restoring one is an edit, which can be undone. */
export function Revisions() {
  const t = useText(text)
  const format = useFormatters()
  const { session } = useEditor()
  const { workflowId } = session
  const { revision } = useEditState()
  const { queryKey, queryFn } = routeQuery('listWorkflowRevisions', {
    workflow_id: workflowId,
    page_size: SHOWN,
  })
  const list = useQuery({ queryKey: [...queryKey, revision], queryFn }).data?.revisions ?? []
  const restore = useMutation({
    mutationFn: (number: number) =>
      service.getWorkflowRevision({ workflow_id: workflowId, revision: number }),
    onSuccess: ({ workflow }) => session.perform(replaceDocument(session.document, workflow)),
  })
  const [compared, setCompared] = useState<number | null>(null)
  const earlier = list.filter((one) => one.revision !== revision)
  if (earlier.length === 0) return null
  return (
    <section className={styles.stack}>
      <h3>{t('revisions.title')}</h3>
      <ul>
        {earlier.map((one) => (
          <li key={one.revision} className={styles.row}>
            <span>
              {t('revisions.one', { number: one.revision, count: one.num_nodes })}{' '}
              <span className={styles.soft}>{format.moment(one.created_at)}</span>
            </span>
            <Button
              kind="quiet"
              aria-pressed={compared === one.revision}
              aria-label={t('diff.show.of', { number: one.revision })}
              onPress={() => setCompared(compared === one.revision ? null : one.revision)}
            >
              {t('diff.show')}
            </Button>
            <Button
              kind="quiet"
              aria-label={t('revisions.restore', { number: one.revision })}
              onPress={() => restore.mutate(one.revision)}
            >
              {t('revisions.restore.short')}
            </Button>
          </li>
        ))}
      </ul>
      {compared !== null && <Compared revision={compared} />}
    </section>
  )
}

function Compared({ revision }: { readonly revision: number }) {
  const t = useText(text)
  const { workflowId } = useEditor().session
  const { document } = useEditState().history
  const other = useQuery(routeQuery('getWorkflowRevision', { workflow_id: workflowId, revision }))
  if (other.isError) return <ErrorNotice error={other.error} onRetry={() => void other.refetch()} />
  if (!other.data) return <Skeleton height={4} />
  const found = differences(other.data.workflow, document)
  return (
    <section className={styles.stack}>
      <h4>{t('diff.revision', { number: revision })}</h4>
      {found.length === 0 ? <p>{t('diff.same')}</p> : <DifferenceList found={found} texts="diff" />}
    </section>
  )
}
