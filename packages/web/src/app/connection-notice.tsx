import { useEffect, useRef } from 'react'
import { Icon } from '../components/icon'
import { shell } from '../text/shell'
import { useText } from '../text/use-text'
import { connection, useConnection } from './connection'
import styles from './connection-notice.module.css'
import { queryClient } from './service'

/** Notice above the page while the service does not respond. User input is preserved; data is refetched afterwards. */
export function ConnectionNotice() {
  const t = useText(shell)
  const state = useConnection()
  const before = useRef(state)
  useEffect(() => connection.watch(), [])
  useEffect(() => {
    if (before.current === 'lost' && state === 'connected') void queryClient.invalidateQueries()
    before.current = state
  }, [state])
  return (
    <div role="status">
      {state === 'lost' && (
        <p className={styles.notice}>
          <Icon name="bad" />
          {t('connection.lost')}
        </p>
      )}
    </div>
  )
}
