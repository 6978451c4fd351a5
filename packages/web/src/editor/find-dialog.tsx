import { useState } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { SearchField } from '../components/field'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { focusCard } from './canvas/focus-card'
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
  const { editing, catalog, goTo } = useEditor()
  const [searched, setSearched] = useState('')
  const matches = (words: string) => words.toLowerCase().includes(searched.trim().toLowerCase())
  const doable = commands.filter(({ id, enabled }) => enabled && matches(t(id)))
  const nodes = editing.document.nodes.filter(({ id, type }) =>
    matches(`${id} ${type} ${catalog.get(type)?.title ?? ''}`),
  )
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  const goToFound = (id: string) => () => {
    goTo(id)
    void focusCard(id)
  }
  return (
    <Dialog isOpen onClose={onClose} title={t('do.find')}>
      <SearchField label={t('find.search')} value={searched} onChange={setSearched} />
      {doable.length + nodes.length === 0 && <p>{t('find.none')}</p>}
      {doable.length > 0 && <h3>{t('find.commands')}</h3>}
      <ul className={styles.list}>
        {doable.slice(0, SHOWN).map(({ id, keys, run }) => (
          <li key={id}>
            <Button kind="quiet" onPress={then(run)}>
              {t(id)} {keys[0] && <kbd>{keys[0]}</kbd>}
            </Button>
          </li>
        ))}
      </ul>
      {nodes.length > 0 && <h3>{t('find.nodes')}</h3>}
      <ul className={styles.list}>
        {nodes.slice(0, SHOWN).map(({ id, type }) => (
          <li key={id}>
            <Button kind="quiet" onPress={then(goToFound(id))}>
              {`${catalog.get(type)?.title ?? type} · ${id}`}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
