import { decisiveP, estimandOf, studyVerdict } from '@medloom/contracts/plain'
import { IntervalAxis, IntervalPlot } from '../../charts/interval-plot'
import { intervalScale } from '../../charts/interval-scale'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { distinctMessages, ServiceText, useServiceText } from '../../components/service-text'
import { Status, type Tone } from '../../components/status'
import { NONE, useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import type { StudyResults } from './live-study'
import { noteOf } from './note-of'
import styles from './study.module.css'

type Comparison = StudyResults['comparisons'][number]
const TONES = {
  better: 'good',
  different: 'good',
  not_significant: 'neutral',
  no_test: 'waiting',
  secondary: 'neutral',
} as const satisfies Record<string, Tone>

/** Differences between variants on the same cases, with a summary of which differences are significant. */
export function Comparisons({
  results,
  metric,
}: {
  readonly results: StudyResults
  readonly metric: string
}) {
  const t = useText(text)
  const format = useFormatters()
  const titleOf = useTitles(results)
  const shown = results.comparisons.filter((comparison) => comparison.metric === metric)
  if (shown.length === 0) return <EmptyState title={t('comparisons.none')} />
  const scale = intervalScale(
    shown.map(({ difference }) => difference),
    [0],
  )
  const { corrected, level } = results.methods
  const isPrimary = metric === results.metric
  const notes = distinctMessages(shown.flatMap(noteOf))
  return (
    <>
      <PlainTable
        label={t('comparisons.title')}
        head={[
          t('comparisons.pair'),
          ...(isPrimary ? [t('comparisons.verdict')] : []),
          { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
          ...(['difference', 'interval', ...(isPrimary ? (['p'] as const) : [])] as const).map((key) => ({
            key,
            title: t(`comparisons.${key}`),
            numeric: true,
          })),
          t('comparisons.test'),
        ]}
        rows={shown.map((comparison) => {
          const { a, b, difference, test } = comparison
          return {
            key: `${a}|${b}`,
            cells: [
              <span key="pair" className={styles.name}>
                {t('comparisons.minus', { a: titleOf(a), b: titleOf(b) })}
              </span>,
              ...(isPrimary
                ? [<Verdict key="verdict" comparison={comparison} level={level} titleOf={titleOf} />]
                : []),
              scale && <IntervalPlot scale={scale} {...difference} reference={0} />,
              format.metric(difference.estimate),
              format.range(difference.low, difference.high),
              ...(isPrimary ? [format.p(decisiveP(comparison))] : []),
              test === null ? NONE : t(`test.${test}`),
            ],
          }
        })}
      />
      {shown.slice(0, 1).map((comparison) => (
        <p key="estimand" className={styles.soft}>
          {t(`comparisons.${estimandOf(comparison)}`)}
        </p>
      ))}
      <p className={styles.soft}>
        {isPrimary ? t('comparisons.correction', { count: corrected }) : t('comparisons.secondary')}
      </p>
      {notes.map((note) => (
        <p key={note.english} className={styles.soft}>
          <ServiceText {...note} />
        </p>
      ))}
    </>
  )
}

/** Display names: a baseline has a title, a variant has a user-defined name. */
function useTitles({ variants }: StudyResults): (name: string) => string {
  const inLanguage = useServiceText()
  const titles = new Map(
    variants.map(({ name, title, title_phrases }) => [name, inLanguage(title, title_phrases)]),
  )
  return (name) => titles.get(name) ?? name
}

function Verdict({
  comparison,
  level,
  titleOf,
}: {
  readonly comparison: Comparison
  readonly level: number
  readonly titleOf: (name: string) => string
}) {
  const t = useText(text)
  const verdict = studyVerdict(comparison, level)
  return (
    <Status tone={TONES[verdict.kind]}>
      {verdict.kind === 'better'
        ? t('verdict.better', { name: titleOf(verdict.name) })
        : t(`verdict.${verdict.kind}`)}
    </Status>
  )
}
