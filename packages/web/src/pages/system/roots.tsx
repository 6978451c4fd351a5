import { useSuspenseQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { Icon } from '../../components/icon'
import { EmptyState } from '../../components/panel'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

/** Folders that requests may use. */
export function Roots() {
  const t = useText(text)
  const { data } = useSuspenseQuery(routeQuery('listFiles', {}))
  if (data.entries.length === 0) return <EmptyState title={t('roots.none')} />
  return (
    <ul className={styles.roots}>
      {data.entries.map(({ path }) => (
        <li key={path}>
          <Icon name="folder" /> <code>{path}</code>
        </li>
      ))}
    </ul>
  )
}
