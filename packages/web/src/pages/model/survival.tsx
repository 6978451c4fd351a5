import { Plot, PlotLine, type Point } from '../../charts/plot'
import { PlainTable } from '../../components/plain-table'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { CalibrationChart } from './calibration'
import styles from './model-page.module.css'
import type { EvaluationViewProps, Result } from './view-props'

type Survival = NonNullable<Result['survival']>

/** Survival charts: event-free survival by risk group, and calibration of the predicted probabilities. */
export function SurvivalPlots({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const format = useFormatters()
  const { survival } = result
  if (!survival) return null
  return (
    <>
      <p className={styles.soft}>
        {t('survival.followUp', {
          events: survival.events,
          median: format.metric(survival.median_follow_up),
        })}
      </p>
      <div className={styles.plots}>
        <KaplanMeier {...survival} />
        {survival.calibration.map(({ horizon, bins }) => (
          <CalibrationChart
            key={horizon}
            title={t('survival.calibration', { horizon: format.metric(horizon) })}
            axis={t('calibration.predicted')}
            bins={bins}
          />
        ))}
      </div>
      <PlainTable
        label={t('survival.atRisk')}
        head={[
          t('survival.group'),
          t('threshold.cases'),
          t('survival.events'),
          ...survival.at_risk_times.map((time) => t('survival.at', { time: format.count(time) })),
        ]}
        rows={survival.groups.map(({ name, cases, events, at_risk }) => ({
          key: name,
          cells: [name, ...[cases, events, ...at_risk].map((count) => format.count(count))],
        }))}
      />
    </>
  )
}

function KaplanMeier({ groups }: Survival) {
  const t = useText(text)
  const format = useFormatters()
  const last = Math.max(1e-9, ...groups.map(({ curve }) => curve.x.at(-1) ?? 0))
  return (
    <Plot
      title={t('survival.title')}
      x={{ label: t('survival.time'), domain: [0, last] }}
      y={{ label: t('survival.without'), domain: [0, 1] }}
      legend={groups.map(({ name }) => name)}
      table={{
        head: [t('survival.group'), t('survival.time'), t('survival.without')],
        rows: groups.flatMap(({ name, curve }) =>
          curve.x.map((x, index) => ({
            key: `${name} ${index}`,
            cells: [name, format.metric(x), format.metric(curve.y[index])],
          })),
        ),
      }}
    >
      {(scales) =>
        groups.map(({ name, curve }, index) => (
          <PlotLine key={name} series={index + 1} scales={scales} points={stepsOf(curve)} />
        ))
      }
    </Plot>
  )
}

/** Step function: a value holds until the next one. */
function stepsOf({ x, y }: { readonly x: readonly number[]; readonly y: readonly number[] }): Point[] {
  return x.flatMap((time, index): Point[] => {
    const value = y[index] ?? 0
    return index === 0
      ? [[time, value]]
      : [
          [time, y[index - 1] ?? value],
          [time, value],
        ]
  })
}
