import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { removeAnnotation, setAnnotation } from '../core/annotations'
import { useEditor, useEditState } from '../state/context'
import { ColorSelect } from './mode-and-color'
import styles from './panels.module.css'

/** Texts of groups and notes. */
export function AnnotationTexts() {
  const t = useText(text)
  const { session } = useEditor()
  const { groups = [], notes = [] } = useEditState().history.document
  if (groups.length + notes.length === 0) return null
  const annotations = [
    ...groups.map((group) => ({ list: 'groups', key: 'title', words: group.title, ...group }) as const),
    ...notes.map((note) => ({ list: 'notes', key: 'text', words: note.text, nodes: null, ...note }) as const),
  ]
  return (
    <section className={styles.stack}>
      <h3>{t('marks')}</h3>
      {annotations.map(({ list, key, words, id, color, nodes }) => (
        <div key={`${list} ${id}`} className={styles.item}>
          <TextField
            label={t(`mark.${list}`, { id })}
            lines={list === 'notes' ? 3 : 1}
            value={words}
            onChange={(value) => session.perform(setAnnotation(list, id, key, value), `${list} ${id}`)}
          />
          <div className={styles.row}>
            <ColorSelect
              value={color}
              onChange={(value) => session.perform(setAnnotation(list, id, 'color', value))}
            />
            {nodes && (
              <Button kind="quiet" onPress={() => session.select(nodes as Iterable<string>)}>
                {t('mark.select')}
              </Button>
            )}
            <Button
              kind="quiet"
              icon="delete"
              aria-label={t('mark.delete', { id })}
              onPress={() => session.perform(removeAnnotation(list, id))}
            />
          </div>
        </div>
      ))}
    </section>
  )
}
