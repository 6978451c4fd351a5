import { ScrollRegion } from '../../components/scroll-region'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from './panels.module.css'

/** Log lines with their timestamps. */
export function LogLines({
  lines,
  truncated,
}: {
  readonly lines: readonly { readonly time: string; readonly message: string }[]
  readonly truncated: boolean
}) {
  const t = useText(text)
  if (lines.length === 0) return <p className={styles.soft}>{t('log.none')}</p>
  const said = lines.map(({ time, message }) => `${time.slice(11, 19)} ${message}`).join('\n')
  return (
    <>
      {truncated && <p className={styles.soft}>{t('log.truncated')}</p>}
      <ScrollRegion label={t('view.log')} className={styles.log}>
        <pre>{said}</pre>
      </ScrollRegion>
    </>
  )
}
