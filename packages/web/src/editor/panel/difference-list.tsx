import type { FieldDifference, ItemDifference } from '@medloom/contracts'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from './panels.module.css'

/** Differences between two versions. texts: key prefix of the texts for added and removed items. */
export function DifferenceList({
  found,
  texts,
}: {
  readonly found: readonly ItemDifference[]
  readonly texts: 'stale' | 'diff'
}) {
  const t = useText(text)
  return (
    <ul className={styles.differences}>
      {found.map(({ list, id, how, fields }) => (
        <li key={`${list} ${id}`}>
          <strong dir="auto">{id}</strong> <span className={styles.soft}>{t(`diff.${list}`)}</span>{' '}
          {how === 'changed'
            ? t('stale.changed', { keys: fields.map(formatDifference).join(', ') })
            : t(`${texts}.${how}`)}
        </li>
      ))}
    </ul>
  )
}

const SHORT = 40

/** The field with both values if they fit into a line. */
function formatDifference({ field, from, to }: FieldDifference): string {
  const [a, b] = [from, to].map((value) => (value === null ? '–' : JSON.stringify(value))) as [string, string]
  return a.length <= SHORT && b.length <= SHORT ? `${field} (${a} → ${b})` : field
}
