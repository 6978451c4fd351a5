import { Dialog } from '../components/dialog'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import type { Command } from './commands'
import styles from './find-dialog.module.css'

/** List of all keyboard shortcuts. */
export function HelpDialog({
  commands,
  onClose,
}: {
  readonly commands: readonly Command[]
  readonly onClose: () => void
}) {
  const t = useText(text)
  const rows: readonly (readonly [string, string])[] = [
    ['Tab', t('keys.next')],
    ['Enter', t('keys.choose')],
    ['← ↑ → ↓', t('keys.move')],
    ['Mod+c', t('do.copy')],
    ['Mod+x', t('do.cut')],
    ['Mod+v', t('do.paste')],
    ...commands
      .filter(({ keys }) => keys.length > 0)
      .map(({ id, keys }) => [keys.join(', '), t(id)] as const),
  ]
  return (
    <Dialog isOpen onClose={onClose} title={t('do.help')}>
      <dl className={styles.keys}>
        {rows.map(([keys, what]) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keys.replaceAll('Mod', modifier())}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

const modifier = (): string => (navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl')
