import { useState } from 'react'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { renameNode } from '../core/edits'
import { useEditor } from '../state/context'
import styles from './panels.module.css'

/** The cache treats a renamed node as another node, so the name does not change while the user types. */
export function NodeName({ id }: { readonly id: string }) {
  const t = useText(text)
  const { editing } = useEditor()
  const [typed, setTyped] = useState(id)
  const rename = () => {
    const renamed = renameNode(editing.document, id, typed)
    editing.perform(renamed.edit)
    editing.select([renamed.id])
  }
  return (
    <div className={styles.row}>
      <TextField label={t('node.name')} hint={t('node.name.hint')} value={typed} onChange={setTyped} />
      <Button isDisabled={typed.trim() === '' || typed.trim() === id} onPress={rename}>
        {t('node.rename')}
      </Button>
    </div>
  )
}
