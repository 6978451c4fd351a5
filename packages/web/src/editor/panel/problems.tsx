import { Button } from '../../components/button'
import { LongList } from '../../components/long-list'
import { Status } from '../../components/status'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { useCheck, useEditing, useEditor } from '../state/context'
import styles from './panels.module.css'

/** What keeps the workflow from running, and what to know before it does; of the selected nodes first. */
export function Problems() {
  const t = useText(text)
  const { goTo, editing } = useEditor()
  const { nodes } = useEditing()
  const issues = useCheck()?.issues ?? []
  const sorted = [...issues].sort((a, b) => rank(a, nodes) - rank(b, nodes))
  if (issues.length === 0) return <p className={styles.soft}>{t('problems.none')}</p>
  return (
    <LongList
      label={t('view.problems')}
      items={sorted}
      keyOf={({ path, code, message }) => `${path} ${code} ${message}`}
      className={styles.item}
    >
      {({ node, connection, severity, message, hint, code }) => (
        <>
          <span className={styles.line}>
            <Status tone={severity === 'error' ? 'bad' : 'waiting'}>{t(`problems.${severity}`)}</Status>
            <code className={styles.soft}>{code}</code>
          </span>
          <p>{message}</p>
          {hint && <p className={styles.soft}>{hint}</p>}
          {node !== undefined && (
            <Button kind="quiet" icon="right" onPress={() => goTo(node)}>
              {t('problems.goto', { node })}
            </Button>
          )}
          {node === undefined && connection !== undefined && (
            <Button kind="quiet" icon="right" onPress={() => editing.select([], [connection])}>
              {t('problems.goto', { node: connection })}
            </Button>
          )}
        </>
      )}
    </LongList>
  )
}

function rank(
  { node, severity }: { readonly node?: string | undefined; readonly severity: string },
  selected: ReadonlySet<string>,
): number {
  return (node !== undefined && selected.has(node) ? 0 : 2) + (severity === 'error' ? 0 : 1)
}
