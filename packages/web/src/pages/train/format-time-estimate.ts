import type { TrainingCheck } from '@medloom/contracts'
import { type Formatters, NONE } from '../../text/formatters'
import type { train } from '../../text/train'
import type { Translate } from '../../text/use-text'

/** Estimated duration, and the number of trainings on which the estimate is based. */
export function formatTimeEstimate(
  { seconds, low_seconds, high_seconds, jobs }: TrainingCheck['time'],
  t: Translate<(typeof train)['en']>,
  format: Formatters,
): { readonly value: string; readonly more: string } {
  if (seconds === null) return { value: NONE, more: t('time.unknown') }
  const range =
    low_seconds !== null && high_seconds !== null && low_seconds !== high_seconds
      ? t('time.range', { low: format.duration(low_seconds), high: format.duration(high_seconds) })
      : ''
  return {
    value: t('about', { value: format.duration(seconds) }),
    more: `${range} ${t('time.from', { count: jobs.length })}`.trim(),
  }
}
