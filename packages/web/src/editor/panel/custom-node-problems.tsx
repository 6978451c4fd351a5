import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ServiceText } from '../../components/service-text'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from './panels.module.css'

/** Invalid files in the folder of custom nodes: location, reason and remedy. */
export function CustomNodeProblems() {
  const t = useText(text)
  const { data } = useQuery({ ...routeQuery('listNodes', {}), staleTime: Number.POSITIVE_INFINITY })
  const problems = data?.custom?.problems ?? []
  if (problems.length === 0) return null
  return (
    <section aria-label={t('custom.problems')} className={styles.stack}>
      <h3>{t('custom.problems')}</h3>
      <ul>
        {problems.map(({ file, line, path, message, message_phrases, remedy, remedy_phrases }) => (
          <li key={`${file} ${line} ${path} ${message}`} className={styles.item}>
            <code className={styles.file}>{line === null ? file : `${file}:${line}`}</code>
            <p>
              {path !== '' && `${path}: `}
              <ServiceText english={message} phrases={message_phrases} />
            </p>
            <p className={styles.soft}>
              <ServiceText english={remedy} phrases={remedy_phrases} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
