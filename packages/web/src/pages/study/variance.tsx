import { PlainTable } from '../../components/plain-table'
import { distinctMessages, ServiceText, useServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import type { StudyResults } from './live-study'
import { noteOf } from './note-of'
import styles from './study.module.css'

const SOURCES = ['seed', 'fold', 'rest'] as const

/** Variance between single trainings, by seed, by fold, and the remainder. */
export function Variance({ results }: { readonly results: StudyResults }) {
  const t = useText(text)
  const format = useFormatters()
  const inLanguage = useServiceText()
  const notes = distinctMessages(results.variants.flatMap(({ variance }) => noteOf(variance)))
  return (
    <>
      <p className={styles.soft}>{t('variance.lead')}</p>
      <PlainTable
        label={t('variance.title')}
        head={[
          t('variants.name'),
          ...SOURCES.map((key) => ({ key, title: t(`variance.${key}`), numeric: true })),
          { key: 'trainings', title: t('variance.trainings'), numeric: true },
        ]}
        rows={results.variants.map(({ name, title, title_phrases, kind, variance }) => ({
          key: name,
          cells: [
            <span key="name" className={styles.name}>
              {kind === 'baseline' ? inLanguage(title, title_phrases) : name}
            </span>,
            ...SOURCES.map((source) => {
              const part = variance[source]
              if (part === null) return t('variance.unknown')
              const share = part.share === null ? '' : ` (${format.percent(part.share)})`
              return `${format.metric(part.sd)}${share}`
            }),
            format.count(variance.trainings),
          ],
        }))}
      />
      {notes.map((note) => (
        <p key={note.english} className={styles.soft}>
          <ServiceText {...note} />
        </p>
      ))}
    </>
  )
}
