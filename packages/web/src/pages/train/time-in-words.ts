import type { TrainingCheck } from '@medloom/contracts'
import { type Figures, NONE } from '../../text/figures'
import type { train } from '../../text/train'
import type { Say } from '../../text/use-text'

/** Estimated duration, and the number of trainings on which the estimate is based. */
export function timeInWords(
  { seconds, low_seconds, high_seconds, jobs }: TrainingCheck['time'],
  t: Say<(typeof train)['en']>,
  figures: Figures,
): { readonly value: string; readonly more: string } {
  if (seconds === null) return { value: NONE, more: t('time.unknown') }
  const range =
    low_seconds !== null && high_seconds !== null && low_seconds !== high_seconds
      ? t('time.range', { low: figures.duration(low_seconds), high: figures.duration(high_seconds) })
      : ''
  return {
    value: t('about', { value: figures.duration(seconds) }),
    more: `${range} ${t('time.from', { count: jobs.length })}`.trim(),
  }
}
