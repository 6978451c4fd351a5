import type { FollowUpEvaluation } from '@medloom/contracts'
import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { followUp as text } from '../../../text/follow-up'
import { useFormatters } from '../../../text/formatters'
import { useText } from '../../../text/use-text'
import { useSeriesName } from './use-series-name'

/** Limit of windows in the table, the newest ones. */
const SHOWN = 6

/** Drift of each input and of the calibration: its value in training and in the newest windows, with alarms. */
export function Drift({ coverage, series }: Pick<FollowUpEvaluation, 'coverage' | 'series'>) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
  const nameOf = useSeriesName()
  const shown = coverage.windows.slice(-SHOWN).map(({ window }) => window)
  const cellOf = ({ windows }: FollowUpEvaluation['series'][number], window: number) => {
    const found = windows.find((one) => one.window === window)
    if (found?.reason) return textOf(found.reason, found.reason_phrases)
    const value = found?.value ?? null
    return found?.alarm ? t('drift.alarm', { value: format.metric(value) }) : format.metric(value)
  }
  // The reason of an input without any value is stated once.
  const cellsOf = (one: FollowUpEvaluation['series'][number]) =>
    one.reason === null
      ? shown.map((window) => cellOf(one, window))
      : [textOf(one.reason, one.reason_phrases), ...shown.slice(1).map(() => '')]
  return (
    <details>
      <summary>{t('drift.title')}</summary>
      <PlainTable
        label={t('drift.title')}
        head={[
          t('drift.series'),
          { key: 'trained', title: t('drift.trained'), numeric: true },
          ...shown.map((window) => ({
            key: String(window),
            title: t('drift.window', { window }),
            numeric: true,
          })),
        ]}
        rows={series.map((one) => ({
          key: `${one.kind} ${one.name}`,
          cells: [nameOf(one), format.metric(one.trained), ...cellsOf(one)],
        }))}
      />
      <p>{t('drift.about')}</p>
    </details>
  )
}
