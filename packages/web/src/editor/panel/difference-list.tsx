import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Difference } from '../core/difference'
import styles from './panels.module.css'

/** What leads from one version to another. `of`: whose differences these are. */
export function DifferenceList({
  found,
  of,
}: {
  readonly found: readonly Difference[]
  readonly of: 'stale' | 'diff'
}) {
  const t = useText(text)
  return (
    <ul className={styles.differences}>
      {found.map(({ list, id, how, keys }) => (
        <li key={`${list} ${id}`}>
          <strong dir="auto">{id}</strong> <span className={styles.soft}>{t(`diff.${list}`)}</span>{' '}
          {how === 'changed' ? t('stale.changed', { keys: keys.join(', ') }) : t(`${of}.${how}`)}
        </li>
      ))}
    </ul>
  )
}
