import type { DefaultChange } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { useContractText } from '../../text/contracts'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { replaceDocument } from '../core/edits'
import { useEditor } from '../state/context'
import styles from './panels.module.css'

/** Offers the current defaults to a workflow of an earlier release. Both answers are edits, which can be undone. */
export function UpgradeDefaults() {
  const t = useText(text)
  const { session } = useEditor()
  const upgrade = useMutation({
    mutationFn: () => service.upgradeWorkflow({ workflow: { ...session.document } }),
  })
  const { data: found, error } = upgrade
  const accept = () => {
    if (found) session.perform(replaceDocument(session.document, found.workflow))
    upgrade.reset()
  }
  const keep = () => {
    session.perform([{ kind: 'set', target: 'document', path: ['earlier_defaults'], value: undefined }])
    upgrade.reset()
  }
  return (
    <>
      <Button kind="quiet" isDisabled={upgrade.isPending} onPress={() => upgrade.mutate()}>
        {t('upgrade.open')}
      </Button>
      {(found || error) && (
        <Dialog
          title={t('upgrade.title')}
          isOpen
          onClose={() => upgrade.reset()}
          action={
            found && (
              <>
                <Button onPress={keep}>{t('upgrade.keep')}</Button>
                <Button kind="primary" onPress={accept}>
                  {t('upgrade.accept')}
                </Button>
              </>
            )
          }
        >
          {error ? <Problem error={error} /> : <Changes changes={found?.changes ?? []} />}
        </Dialog>
      )}
    </>
  )
}

function Changes({ changes }: { readonly changes: readonly DefaultChange[] }) {
  const t = useText(text)
  const { topic } = useContractText()
  return (
    <>
      <p>{t('upgrade.explained')}</p>
      <ul className={styles.differences}>
        {changes.map(({ node, field, key, title, ...change }) => (
          <li key={`${node} ${field}`}>
            <strong dir="auto">{node}</strong> {topic(key) ?? title}{' '}
            <code>
              {JSON.stringify(change.old)} →{' '}
              {change.new === null ? t('upgrade.chosen') : JSON.stringify(change.new)}
            </code>
          </li>
        ))}
      </ul>
    </>
  )
}
