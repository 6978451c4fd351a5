import type { FieldDifference, ItemDifference } from '@medloom/contracts'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from './panels.module.css'

/** Differences between two versions. `of`: the item that differs. */
export function DifferenceList({
  found,
  of,
}: {
  readonly found: readonly ItemDifference[]
  readonly of: 'stale' | 'diff'
}) {
  const t = useText(text)
  return (
    <ul className={styles.differences}>
      {found.map(({ list, id, how, fields }) => (
        <li key={`${list} ${id}`}>
          <strong dir="auto">{id}</strong> <span className={styles.soft}>{t(`diff.${list}`)}</span>{' '}
          {how === 'changed'
            ? t('stale.changed', { keys: fields.map(shortly).join(', ') })
            : t(`${of}.${how}`)}
        </li>
      ))}
    </ul>
  )
}

const SHORT = 40

/** The field with both values if they fit into a line. */
function shortly({ field, from, to }: FieldDifference): string {
  const [a, b] = [from, to].map((value) => (value === null ? '–' : JSON.stringify(value))) as [string, string]
  return a.length <= SHORT && b.length <= SHORT ? `${field} (${a} → ${b})` : field
}
