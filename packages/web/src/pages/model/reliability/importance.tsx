import { IntervalAxis, IntervalPlot } from '../../../charts/interval-plot'
import { intervalScale } from '../../../charts/interval-scale'
import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { useFormatters } from '../../../text/formatters'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps, Result } from '../view-props'
import { useShowMore } from './show-more'

type ImportanceResult = NonNullable<Result['importance']>

/** Importance of inputs (each permuted between patients) and of modalities (each removed). */
export function Importance({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const worse = useWorse(result.importance)
  const { importance, classes } = result
  if (!importance) return <p className={styles.soft}>{t('importance.absent')}</p>
  if (importance.metric === null)
    return (
      <p className={styles.soft}>
        {t('none', { reason: textOf(importance.reason ?? '', importance.reason_phrases) })}
      </p>
    )
  const { repeats, num_cases, ablation } = importance
  return (
    <>
      <p className={styles.soft}>{t('importance.lead', { worse, repeats, cases: num_cases })}</p>
      <Inputs importance={importance} worse={worse} />
      {ablation.length > 0 && <Ablation importance={importance} worse={worse} classes={classes !== null} />}
    </>
  )
}

function useWorse(importance: ImportanceResult | undefined): string {
  const t = useText(text)
  const nameOf = useMetricNames()
  const metric = nameOf(importance?.metric ?? 'auc')
  return t(importance?.metric === 'mae' ? 'importance.rise' : 'importance.drop', { metric })
}

function Inputs({ importance, worse }: { readonly importance: ImportanceResult; readonly worse: string }) {
  const t = useText(text)
  const format = useFormatters()
  const { inputs } = importance
  const { shown, more } = useShowMore(inputs)
  const scale = intervalScale(inputs.map(bounds), [0])
  return (
    <>
      <PlainTable
        label={t('importance.title')}
        head={[
          t('input'),
          { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
          { key: 'drop', title: worse, numeric: true },
          { key: 'interval', title: t('interval'), numeric: true },
        ]}
        rows={shown.map((one) => ({
          key: `${one.kind} ${one.name}`,
          cells: [
            one.kind === 'images' ? t('importance.images') : one.name,
            scale && <IntervalPlot scale={scale} {...bounds(one)} reference={0} />,
            format.metric(one.drop),
            format.range(one.low, one.high),
          ],
        }))}
      />
      {more}
      <p className={styles.soft}>{t('importance.plot')}</p>
    </>
  )
}

function Ablation({
  importance: { ablation },
  worse,
  classes,
}: {
  readonly importance: ImportanceResult
  readonly worse: string
  readonly classes: boolean
}) {
  const t = useText(text)
  const format = useFormatters()
  const scale = intervalScale(ablation.map(bounds), [0])
  return (
    <>
      <h3>{t('ablation.title')}</h3>
      <PlainTable
        label={t('ablation.title')}
        head={[
          t('ablation.without'),
          { key: 'plot', title: scale && <IntervalAxis scale={scale} /> },
          { key: 'drop', title: worse, numeric: true },
          { key: 'interval', title: t('interval'), numeric: true },
          { key: 'moves', title: t(classes ? 'ablation.moves' : 'ablation.changes'), numeric: true },
          ...(classes ? [{ key: 'changed', title: t('ablation.changed'), numeric: true }] : []),
        ]}
        rows={ablation.map((one) => ({
          key: one.without,
          cells: [
            t(`importance.${one.without}`),
            scale && <IntervalPlot scale={scale} {...bounds(one)} reference={0} />,
            format.metric(one.drop),
            format.range(one.low, one.high),
            format.metric(one.mean_change),
            ...(classes ? [one.changed === null ? format.metric(null) : format.percent(one.changed)] : []),
          ],
        }))}
      />
      <p className={styles.soft}>{t('ablation.note')}</p>
    </>
  )
}

function bounds({ drop, low, high }: { readonly drop: number; readonly low: number; readonly high: number }) {
  return { estimate: drop, low, high }
}
