import { Link } from '@tanstack/react-router'
import { IntervalAxis, IntervalPlot } from '../../charts/interval-plot'
import { type IntervalScale, intervalScale } from '../../charts/interval-scale'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { distinctMessages, type Message, ServiceText, useServiceText } from '../../components/service-text'
import { type Formatters, useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { CombineButton } from './ensemble-dialog'
import { canFormEnsemble } from './ensemble-eligibility'
import type { Study, StudyResults } from './live-study'
import { noteOf } from './note-of'
import styles from './study.module.css'

type Variant = Study['variants'][number]

/** Each variant with its estimate and interval, over the values of its single trainings. */
export function Variants({
  study,
  results,
  metric,
}: {
  readonly study: Study
  readonly results: StudyResults | undefined
  readonly metric: string
}) {
  const t = useText(text)
  const format = useFormatters()
  const inLanguage = useServiceText()
  const { variants } = study
  if (variants.every(({ num_completed }) => num_completed === 0))
    return <EmptyState title={t('variants.none')} />
  const values = valuesOf(results, metric)
  const scale = intervalScale(
    variants.flatMap((variant) => intervalsOf(variant, metric, values.get(variant.name))),
  )
  const notes = notesOf(results, metric)
  const combinable = variants.filter((variant) => canFormEnsemble(study, variant))
  return (
    <>
      {results === undefined && <p className={styles.soft}>{t('variants.interim')}</p>}
      <PlainTable
        label={t('variants.title')}
        head={[
          t('variants.name'),
          {
            key: 'plot',
            title: (
              <>
                <span className="visually-hidden">{t('variants.plot')}</span>
                {scale && <IntervalAxis scale={scale} />}
              </>
            ),
          },
          ...(['estimate', 'interval', 'mean', 'sd', 'trainings', 'cases'] as const).map((key) => ({
            key,
            title: t(`variants.${key}`),
            numeric: true,
          })),
          ...(combinable.length > 0 ? [t('ensemble.column')] : []),
        ]}
        rows={variants.map((variant) => ({
          key: variant.name,
          cells: [
            <Name key="name" study={study} variant={variant} />,
            scale && <VariantPlot variant={variant} metric={metric} scale={scale} values={values} />,
            ...cellsOf(variant, metric, format),
            combinable.includes(variant) && <CombineButton key="ensemble" study={study} variant={variant} />,
          ],
        }))}
      />
      {notes.length > 0 && (
        <details className={styles.soft}>
          <summary>{t('variants.notes')}</summary>
          <ul className={styles.lost}>
            {notes.map(({ name, note }) => (
              <li key={`${name.english} ${note.english}`}>
                {inLanguage(name.english, name.phrases)}: <ServiceText {...note} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** The name links to the trainings behind the numbers. */
function Name({ study, variant }: { readonly study: Study; readonly variant: Variant }) {
  const t = useText(text)
  const inLanguage = useServiceText()
  const { name, kind, description, description_phrases } = variant
  const mark = kind === 'baseline' ? 'baseline' : name === study.reference ? 'reference' : null
  return (
    <div className={styles.name}>
      {kind === 'baseline' ? (
        inLanguage(description ?? name, description_phrases)
      ) : (
        <Link
          to="/studies/$studyId"
          params={{ studyId: study.study_id }}
          search={{ tab: 'trainings', variant: name }}
        >
          {name}
        </Link>
      )}
      {mark && <span className={styles.soft}> {t(`variants.${mark}`)}</span>}
      {kind === 'trained' && description !== null && <p className={styles.soft}>{description}</p>}
    </div>
  )
}

function VariantPlot({
  variant: { name, metrics },
  metric,
  scale,
  values,
}: {
  readonly variant: Variant
  readonly metric: string
  readonly scale: IntervalScale
  readonly values: ReadonlyMap<string, readonly number[]>
}) {
  const { estimate = null, mean = null, low = null, high = null } = metrics[metric] ?? {}
  return (
    <IntervalPlot
      scale={scale}
      estimate={estimate ?? mean}
      low={low}
      high={high}
      values={values.get(name) ?? []}
    />
  )
}

function cellsOf(
  { metrics, num_trainings, num_completed, num_cases }: Variant,
  metric: string,
  f: Formatters,
) {
  const { estimate, low, high, mean, sd } = metrics[metric] ?? {}
  const trainings =
    num_completed === num_trainings
      ? f.count(num_trainings)
      : `${f.count(num_completed)} / ${f.count(num_trainings)}`
  return [
    f.metric(estimate),
    f.range(low, high),
    f.metric(mean),
    f.metric(sd),
    trainings,
    num_cases === null ? f.metric(null) : f.count(num_cases),
  ]
}

/** Intervals of a variant for the plot. */
function intervalsOf({ metrics }: Variant, metric: string, values: readonly number[] = []) {
  const { estimate = null, mean = null, low = null, high = null } = metrics[metric] ?? {}
  return [
    { estimate: estimate ?? mean, low, high },
    ...values.map((value) => ({ estimate: value, low: null, high: null })),
  ]
}

/** Variant → values of its trainings. */
function valuesOf(results: StudyResults | undefined, metric: string): Map<string, number[]> {
  const values = new Map<string, number[]>()
  for (const { variant, metrics } of results?.trainings ?? []) {
    const value = metrics[metric] ?? null
    if (value !== null) values.set(variant, [...(values.get(variant) ?? []), value])
  }
  return values
}

/** Reasons for missing values and exclusions. */
function notesOf(results: StudyResults | undefined, metric: string) {
  return (results?.variants ?? []).flatMap((variant) => {
    const { title, title_phrases, metrics, notes, notes_phrases } = variant
    const all = [
      ...noteOf(metrics[metric]),
      ...notes.map((english, index) => ({ english, phrases: notes_phrases?.[index] })),
    ]
    const name: Message = { english: title, phrases: title_phrases }
    return distinctMessages(all).map((note) => ({ name, note }))
  })
}
