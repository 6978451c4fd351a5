import type { Warning } from '@medloom/contracts'
import type { Agreement } from '@medloom/contracts/plain'
import { AGREEMENTS, isSignificant, PRIMARY_METRIC } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { IntervalAxis, IntervalPlot } from '../../charts/interval-plot'
import type { IntervalScale } from '../../charts/interval-scale'
import { ErrorNotice } from '../../components/boundary'
import { FileLink } from '../../components/button'
import { PlainTable } from '../../components/plain-table'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { Status } from '../../components/status'
import { WarningText } from '../../components/warning-text'
import { compare as text } from '../../text/compare'
import { NONE, useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import { CaseGallery } from './case-gallery'
import styles from './compare.module.css'
import { differenceScales } from './difference-scales'
import { agreementName, type ComparisonDocument, type Pair } from './pair'
import type { CasesSearch, CompareViewProps } from './view-props'

/** Result of a comparison: differences, counts of correct predictions of each model, and the cases. */
export function ComparisonView({
  comparisonId,
  search,
  onChange,
}: Pick<CompareViewProps, 'onChange'> & { readonly search: CasesSearch; readonly comparisonId: string }) {
  const query = useQuery({
    ...routeQuery('getComparison', { comparison_id: comparisonId }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={24} />
  const pair = query.data.result.pairs[0]
  if (!pair) return null
  return (
    <>
      <ComparisonSummary document={query.data} />
      <Differences pair={pair} document={query.data} />
      <Agreements pair={pair} chosen={search.agreement} onChange={onChange} />
      <CaseGallery document={query.data} pair={pair} search={search} onChange={onChange} />
    </>
  )
}

/** Number of cases, and how often these cases were evaluated before. */
function ComparisonSummary({
  document: { comparison_id, models, result },
}: {
  readonly document: ComparisonDocument
}) {
  const t = useText(text)
  const { num_cases: count, num_patients: patients, split, warnings } = result
  return (
    <div className={styles.measured}>
      <p>{t('cases.measured', { count, patients, split })}</p>
      {models.map(({ name, test_evaluations }) => (
        <p key={name} className={styles.soft}>
          {t('cases.uses', { name, count: test_evaluations })}
        </p>
      ))}
      {models[0] && (
        <p>
          <FileLink
            href={`/api/training/${models[0].job_id}/files/comparisons/${comparison_id}/report.html`}
            icon="external"
          >
            {t('cases.report')}
          </FileLink>
        </p>
      )}
      {warnings.map((warning) => (
        <WarningLine key={`${warning.code} ${warning.message}`} warning={warning} />
      ))}
      {result.models.flatMap((model) =>
        model.warnings.map((warning) => (
          <WarningLine
            key={`${model.name} ${warning.code} ${warning.message}`}
            warning={warning}
            model={model.name}
          />
        )),
      )}
    </div>
  )
}

/** model: the model of the warning; absent: it applies to the comparison. */
function WarningLine({ warning, model }: { readonly warning: Warning; readonly model?: string }) {
  const { code, message, message_phrases: phrases } = warning
  return (
    <p>
      <Status tone="waiting">{code}</Status> {model !== undefined && <code>{model}</code>}{' '}
      <WarningText {...{ code, message, phrases }} />
    </p>
  )
}

function Differences({
  pair: { first, second, differences },
  document,
}: {
  readonly pair: Pair
  readonly document: ComparisonDocument
}) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const scales = differenceScales(differences)
  const primary = PRIMARY_METRIC[document.result.task]
  const metricsOf = (name: string) =>
    document.result.models.find((model) => model.name === name)?.metrics ?? {}
  const [one, other] = [metricsOf(first), metricsOf(second)]
  return (
    <PlainTable
      label={t('cases.title')}
      head={[
        t('pair.metric'),
        { key: 'first', title: <span className={styles.model}>{first}</span>, numeric: true },
        { key: 'second', title: <span className={styles.model}>{second}</span>, numeric: true },
        { key: 'plot', title: scales.shared && <IntervalAxis scale={scales.shared} /> },
        { key: 'difference', title: t('pair.difference'), numeric: true },
        { key: 'interval', title: t('pair.interval'), numeric: true },
        { key: 'p', title: t('pair.p'), numeric: true },
        t('pair.words'),
        t('pair.test'),
      ]}
      rows={Object.entries(differences).map(([metric, difference]) => ({
        key: metric,
        cells: [
          nameOf(metric),
          format.metric(one[metric]),
          format.metric(other[metric]),
          <DifferencePlot key="plot" {...scales.scaleOf(metric)} difference={difference} />,
          format.metric(difference.estimate),
          format.range(difference.low, difference.high),
          metric === primary ? format.p(difference.p_holm) : NONE,
          metric === primary ? <Significance key="words" p={difference.p_holm} /> : t('pair.secondary'),
          <span key="test" className={styles.test}>
            <MethodOrReason difference={difference} isTested={metric === primary} />
          </span>,
        ],
      }))}
    />
  )
}

/** The test or the method of the interval, or the reason why there is none. */
function MethodOrReason({
  difference,
  isTested,
}: {
  readonly difference: Pair['differences'][string]
  readonly isTested: boolean
}) {
  const { reason, test, method } = difference
  if (reason !== null) return <ServiceText english={reason} phrases={difference.reason_phrases} />
  if (isTested) return <ServiceText english={test} phrases={difference.test_phrases} />
  return <ServiceText english={method} phrases={difference.method_phrases} />
}

/** Interval on the shared axis above, or on its own axis. */
function DifferencePlot({
  scale,
  isOwn,
  difference,
}: {
  readonly scale: IntervalScale | null
  readonly isOwn: boolean
  readonly difference: Pair['differences'][string]
}) {
  if (!scale) return null
  return (
    <>
      <IntervalPlot scale={scale} {...difference} reference={0} />
      {isOwn && <IntervalAxis scale={scale} />}
    </>
  )
}

function Significance({ p }: { readonly p: number | null }) {
  const t = useText(text)
  if (p === null) return <Status tone="waiting">{t('pair.none')}</Status>
  return isSignificant(p) ? (
    <Status tone="good">{t('pair.apart')}</Status>
  ) : (
    <Status tone="neutral">{t('pair.not')}</Status>
  )
}

/** Four counts, each a link to its cases. */
function Agreements({
  pair,
  chosen,
  onChange,
}: Pick<CompareViewProps, 'onChange'> & { readonly pair: Pair; readonly chosen: Agreement | undefined }) {
  const t = useText(text)
  const format = useFormatters()
  const { agreement } = pair
  if (agreement === null) return <p className={styles.soft}>{t('agreement.none')}</p>
  return (
    <section className={styles.page}>
      <h3>{t('agreement.title')}</h3>
      <div className={styles.cells}>
        {AGREEMENTS.map((which) => (
          <button
            key={which}
            type="button"
            className={styles.cell}
            aria-pressed={chosen === which}
            onClick={() => onChange({ agreement: chosen === which ? undefined : which })}
          >
            <span className={styles.count}>{format.count(agreement[which])}</span>
            <span>{agreementName(which, pair, t)}</span>
          </button>
        ))}
      </div>
    </section>
  )
}
