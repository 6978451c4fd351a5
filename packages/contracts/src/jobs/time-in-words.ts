import type { TimeEstimate } from './training-check.js'

/** Text such as `about 12 min, by 3 earlier trainings`; null if there is no estimate. */
export function estimateInWords({ seconds, low_seconds, high_seconds, jobs }: TimeEstimate): string | null {
  if (seconds === null) return null
  const [about, low, high] = [seconds, low_seconds ?? seconds, high_seconds ?? seconds].map(timeInWords)
  const range = low === high ? '' : ` (${low} to ${high})`
  const from = jobs.length === 1 ? 'an earlier training' : `${jobs.length} earlier trainings`
  return `about ${about}${range}, by ${from}`
}

/** Rounded for people: `40 s`, `12 min`, `3.5 h`, `2 days`. */
export function timeInWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  const hours = seconds / 3600
  if (hours < 48) return `${hours < 10 ? Math.round(hours * 2) / 2 : Math.round(hours)} h`
  return `${Math.round(hours / 24)} days`
}
