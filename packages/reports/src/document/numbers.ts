import { nounFor } from '@medloom/contracts'

/** Number formats of a report, rounded for reading. Null and non-finite values are a dash. */

export const DASH = '–'
const MINUS = '\u2212'

/** Three decimals for ordinary magnitudes, three significant digits for small ones, scientific notation beyond. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e6 || size < 1e-4) return withMinus(value.toExponential(2))
  if (Number.isInteger(value)) return withMinus(String(value))
  if (size >= 100) return withMinus(value.toFixed(1))
  return withMinus(size >= 0.01 ? value.toFixed(3) : String(Number(value.toPrecision(3))))
}

/** A share or another statistic between 0 and 1: three decimals, and never rounded to a bound that it does not reach. */
export function formatUnit(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH
  if (value > 0 && value < 0.0005) return '<0.001'
  if (value < 1 && value >= 0.9995) return '>0.999'
  return withMinus(value.toFixed(3))
}

/** A formatted number with the minus sign of print, also in its exponent. */
export function withMinus(text: string): string {
  return text.replaceAll('-', MINUS)
}

export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** `1 patient`, `2 patients`: a count with its noun, whose plural ends in "s"; `– patients` if the count is unknown. */
export function countOf(count: number | null, noun: string): string {
  return `${formatCount(count)} ${nounFor(count ?? 0, noun)}`
}

/** `12 (34.3%)`; only the count if the total is 0. */
export function formatShare(count: number, total: number): string {
  if (total <= 0) return formatCount(count)
  return `${formatCount(count)} (${((100 * count) / total).toFixed(1)}%)`
}

/** Seconds as `42 s`, `3 min 5 s` or `2 h 4 min`. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return DASH
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.floor(Math.round(seconds) / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `2026-11-20 21:54:03 UTC` */
export function formatTime(timestamp: string | null): string {
  if (timestamp === null) return DASH
  const time = new Date(timestamp)
  if (Number.isNaN(time.getTime())) return DASH
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
