import { useState } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { SearchField } from '../components/field'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { focusCard } from './canvas/focus'
import type { Command } from './commands'
import styles from './find-dialog.module.css'
import { useEditor } from './state/context'

const SHOWN = 20

/** Search for commands and nodes by name. */
export function FindDialog({
  commands,
  onClose,
}: {
  readonly commands: readonly Command[]
  readonly onClose: () => void
}) {
  const t = useText(text)
  const { session, catalog, goTo } = useEditor()
  const [searchTerm, setSearchTerm] = useState('')
  const matches = (words: string) => words.toLowerCase().includes(searchTerm.trim().toLowerCase())
  const available = commands.filter(({ id, enabled }) => enabled && matches(t(id)))
  const nodes = session.document.nodes.filter(({ id, type }) =>
    matches(`${id} ${type} ${catalog.get(type)?.title ?? ''}`),
  )
  const closeThen = (action: () => void) => () => {
    onClose()
    action()
  }
  const goToFound = (id: string) => () => {
    goTo(id)
    void focusCard(id)
  }
  return (
    <Dialog isOpen onClose={onClose} title={t('do.find')}>
      <SearchField label={t('find.search')} value={searchTerm} onChange={setSearchTerm} />
      {available.length + nodes.length === 0 && <p>{t('find.none')}</p>}
      {available.length > 0 && <h3>{t('find.commands')}</h3>}
      <ul className={styles.list}>
        {available.slice(0, SHOWN).map(({ id, keys, run }) => (
          <li key={id}>
            <Button kind="quiet" onPress={closeThen(run)}>
              {t(id)} {keys[0] && <kbd>{keys[0]}</kbd>}
            </Button>
          </li>
        ))}
      </ul>
      {nodes.length > 0 && <h3>{t('find.nodes')}</h3>}
      <ul className={styles.list}>
        {nodes.slice(0, SHOWN).map(({ id, type }) => (
          <li key={id}>
            <Button kind="quiet" onPress={closeThen(goToFound(id))}>
              {`${catalog.get(type)?.title ?? type} · ${id}`}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
