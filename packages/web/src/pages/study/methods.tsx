import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import type { StudyResults } from './live-study'
import styles from './study.module.css'

/** Description of the statistical methods with their sources, and the software versions. */
export function Methods({ results: { methods, software } }: { readonly results: StudyResults }) {
  const t = useText(text)
  const versions = Object.entries(software).map(([name, version]) => `${name} ${version}`)
  return (
    <div className={styles.prose} lang="en">
      {methods.statements.map((statement) => (
        <p key={statement}>{statement}</p>
      ))}
      {versions.length > 0 && (
        <p className={styles.soft}>
          {t('methods.software')}: {versions.join(', ')}
        </p>
      )}
    </div>
  )
}
