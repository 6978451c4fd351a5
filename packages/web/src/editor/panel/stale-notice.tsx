import { differences } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { useEditor, useEditState } from '../state/context'
import { documentOf, readStoredVersion } from '../state/stored-version'
import { DifferenceList } from './difference-list'
import styles from './panels.module.css'
import notice from './stale-notice.module.css'

/** Notice that another version was saved elsewhere, with the differences and a choice between the two. */
export function StaleNotice() {
  const t = useText(text)
  const { session } = useEditor()
  const { save, history } = useEditState()
  const other = useQuery({
    queryKey: ['otherVersion', session.workflowId],
    queryFn: ({ signal }) => readStoredVersion(session.workflowId, signal),
    enabled: save === 'stale',
    staleTime: 0,
    gcTime: 0,
  }).data
  if (save !== 'stale') return null
  const found = other ? differences(documentOf(other), history.document) : []
  return (
    <section role="alert" className={notice.notice}>
      <h2>{t('stale.title')}</h2>
      <p>{t('stale.text')}</p>
      {other && found.length === 0 && <p>{t('stale.same')}</p>}
      {found.length > 0 && (
        <details>
          <summary>{t('stale.differences', { count: found.length })}</summary>
          <DifferenceList found={found} texts="stale" />
        </details>
      )}
      <div className={styles.row}>
        <Button isDisabled={!other} onPress={() => other && session.acceptStored(other)}>
          {t('stale.theirs')}
        </Button>
        <Button
          isDisabled={!other}
          onPress={() => other && void session.overwriteStored(other).catch(() => undefined)}
        >
          {t('stale.mine')}
        </Button>
      </div>
    </section>
  )
}
