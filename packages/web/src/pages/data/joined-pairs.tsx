import type { Inspection } from '@medloom/contracts'
import { Panel } from '../../components/panel'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './checks.module.css'

/**
 * Some rows with the names of their images, so that a wrong join is seen. Identifiers are masked. A row whose name does
 * not contain its identifier shows the forms of both, so that another spelling is seen.
 */
export function JoinedPairs({ readiness }: Pick<Inspection, 'readiness'>) {
  const t = useText(text)
  const check = readiness.checks.find(({ key }) => key === 'joined_pairs')
  const pairs = check?.message_phrases?.[0]?.values?.pairs
  const shown = typeof pairs === 'string' ? pairs.split('; ') : []
  if (shown.length === 0) return null
  return (
    <Panel title={t('checks.of.joined_pairs')}>
      <p>{t('pairs.lead')}</p>
      <ul className={styles.pairs} lang="en">
        {shown.map((pair) => (
          <li key={pair}>
            <bdi>{pair}</bdi>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
