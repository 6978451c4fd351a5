import { isCoverageMissed } from '@medloom/contracts/plain'
import { IntervalAxis, IntervalPlot } from '../../../charts/interval-plot'
import { intervalScale } from '../../../charts/interval-scale'
import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { Status } from '../../../components/status'
import { useFormatters } from '../../../text/formatters'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps, Result } from '../view-props'
import { useShowMore } from './show-more'

type Conformal = NonNullable<Result['conformal']>

/** Coverage and size of prediction sets or prediction intervals, or the reason why there are none. */
export function PredictionSets({ document: { result, kind } }: EvaluationViewProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const { conformal } = result
  if (!conformal) return <p className={styles.soft}>{t('older')}</p>
  const { coverage, alpha, method, reason, reason_phrases } = conformal
  if (!coverage || alpha === null || method === null)
    return (
      <p className={styles.soft}>
        {reason ? t('none', { reason: textOf(reason, reason_phrases) }) : t('older')}
      </p>
    )
  return (
    <>
      <p className={styles.soft}>
        {t(`sets.${method}`)}, {t('sets.promise', { share: format.percent(1 - alpha) })}{' '}
        {kind === 'validation' && t('sets.fitted')}
      </p>
      {isCoverageMissed(coverage, alpha) && <Status tone="bad">{t('sets.missed')}</Status>}
      <Coverage conformal={conformal} coverage={coverage} promised={1 - alpha} cases={result.num_cases} />
      <Sizes conformal={conformal} cases={result.num_cases} />
      {conformal.per_class && <p className={styles.soft}>{t('sets.perClass')}</p>}
    </>
  )
}

/** Coverage interval of all cases and of each class on one axis, with the target. */
function Coverage({
  conformal,
  coverage,
  promised,
  cases,
}: {
  readonly conformal: Conformal
  readonly coverage: NonNullable<Conformal['coverage']>
  readonly promised: number
  readonly cases: number
}) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const rows = [{ name: t('sets.all'), cases, coverage }, ...(conformal.per_class ?? [])]
  const { shown, more } = useShowMore(rows)
  const scale = intervalScale(
    rows.map((row) => row.coverage),
    [promised, 1],
  )
  return (
    <>
      <PlainTable
        label={t('sets.coverage')}
        head={[
          t('class'),
          { key: 'cases', title: t('cases'), numeric: true },
          { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
          { key: 'coverage', title: t('sets.coverage'), numeric: true },
          { key: 'interval', title: t('interval'), numeric: true },
        ]}
        rows={shown.map((row, index) => ({
          key: `${index} ${row.name}`,
          cells: [
            row.name,
            format.count(row.cases),
            scale && <IntervalPlot scale={scale} {...row.coverage} reference={promised} />,
            format.metric(row.coverage.estimate),
            row.coverage.low === null && row.coverage.reason
              ? textOf(row.coverage.reason, row.coverage.reason_phrases)
              : format.range(row.coverage.low, row.coverage.high),
          ],
        }))}
      />
      {more}
    </>
  )
}

function Sizes({ conformal, cases }: { readonly conformal: Conformal; readonly cases: number }) {
  const t = useText(text)
  const format = useFormatters()
  const { mean_size, single, empty, width } = conformal
  const share = (count: number) => `${format.count(count)} (${format.percent(count / Math.max(1, cases))})`
  const facts = [
    mean_size !== null && [t('sets.size'), format.metric(mean_size)],
    single !== null && [t('sets.single'), share(single)],
    empty !== null && [t('sets.empty'), share(empty)],
    width !== null && [t('sets.width'), format.metric(width)],
  ].filter((fact) => fact !== false)
  return (
    <dl className={styles.pairs}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.pair}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
